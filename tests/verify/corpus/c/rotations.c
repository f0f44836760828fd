/* A vector turned by a unit quaternion, a product of quaternions, and derivatives of both. */
#include "algebra.h"

void rotated(const double q[4], const double p[3], double out[3])
{
    /* p + 2 w (v x p) + 2 v x (v x p) */
    double t[3], u[3];
    int i;
    cross(q + 1, p, t);
    cross(q + 1, t, u);
    for (i = 0; i < 3; i++) {
        out[i] = p[i] + 2 * (q[0] * t[i] + u[i]);
    }
}

void rotated_dq(const double q[4], const double p[3], double out[3][3])
{
    double r[9], s[9], rs[9];
    int i, j;
    rotation(q, r);
    skew(p, s);
    multiply(r, s, rs);
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            out[i][j] = -rs[3 * i + j];
        }
    }
}

void rotated_dq_twice(const double q[4], const double p[3], double out[3][3])
{
    double r[9], s[9], rs[9];
    int i, j;
    rotation(q, r);
    skew(p, s);
    multiply(r, s, rs);
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            out[i][j] = -2.0 * rs[3 * i + j];
        }
    }
}

void rotated_dq_sign(const double q[4], const double p[3], double out[9])
{
    double r[9], s[9];
    rotation(q, r);
    skew(p, s);
    multiply(r, s, out);
}

/* column by column into an array that is read row by row */
void rotated_dq_transposed(const double q[4], const double p[3], double out[9])
{
    double r[9], s[9], rs[9];
    int i, j;
    rotation(q, r);
    skew(p, s);
    multiply(r, s, rs);
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            out[3 * j + i] = -rs[3 * i + j];
        }
    }
}

void rotated_dq_world(const double q[4], const double p[3], double out[9])
{
    double turned[3], s[9];
    int i;
    rotated(q, p, turned);
    skew(turned, s);
    for (i = 0; i < 9; i++) {
        out[i] = -s[i];
    }
}

void product(const double p[4], const double q[4], double out[4])
{
    product_of(p, q, out);
}

void product_dq_wrong(const double p[4], double out[4][4])
{
    const double m[4][4] = {
        {p[0], -p[1], -p[2], -p[3]},
        {p[1], p[0], p[3], -p[2]},
        {p[2], -p[3], p[0], p[1]},
        {p[3], p[2], -p[1], p[0]},
    };
    int i, j;
    for (i = 0; i < 4; i++) {
        for (j = 0; j < 4; j++) {
            out[i][j] = m[i][j];
        }
    }
}
