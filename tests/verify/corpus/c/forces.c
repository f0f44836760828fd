/* Springs, gravity, friction's map and a contact's gap. */
#include <math.h>

#include "algebra.h"

void spring(const double r[3], double k, double rest, double out[3])
{
    const double length = sqrt(dot(r, r));
    int i;
    for (i = 0; i < 3; i++) {
        out[i] = -k * (1 - rest / length) * r[i];
    }
}

void spring_dr(const double r[3], double k, double rest, double out[3][3])
{
    const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    const double across = 1 - rest / length;
    int i, j;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            out[i][j] = -k * ((i == j) ? across : 0.0) - k * rest * r[i] * r[j] / (length * length * length);
        }
    }
}

void spring_dr_fixed_length(const double r[3], double k, double rest, double out[3][3])
{
    const double length = sqrt(dot(r, r));
    int i, j;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            out[i][j] = (i == j) ? -k * (1 - rest / length) : 0;
        }
    }
}

double gravity(const double q[4], const double p[3], double m, double g)
{
    double r[9];
    rotation(q, r);
    return m * g * (r[6] * p[0] + r[7] * p[1] + r[8] * p[2]);
}

void gravity_dq(const double q[4], const double p[3], double m, double g, double out[3])
{
    double r[9], n[3];
    int i;
    rotation(q, r);
    cross(p, r + 6, n);
    for (i = 0; i < 3; i++) {
        out[i] = m * g * n[i];
    }
}

void gravity_dq_conjugate(const double q[4], const double p[3], double m, double g, double out[3])
{
    double r[9], n[3];
    int i;
    rotation(q, r);
    const double up[3] = {r[2], r[5], r[8]};
    cross(p, up, n);
    for (i = 0; i < 3; i++) {
        out[i] = m * g * n[i];
    }
}

void sliding(const double v[3], const double w[3], const double q[4], const double p[3], double out[2])
{
    double r[9], t[3], u[3];
    rotation(q, r);
    cross(w, p, t);
    apply(r, t, u);
    out[0] = v[0] + u[0];
    out[1] = v[1] + u[1];
}

static void sliding_rows(const double r[9], const double p[3], double out[2][6])
{
    double s[9], rs[9];
    int i, j;
    skew(p, s);
    multiply(r, s, rs);
    for (i = 0; i < 2; i++) {
        for (j = 0; j < 3; j++) {
            out[i][j] = i == j;
            out[i][j + 3] = -rs[3 * i + j];
        }
    }
}

void sliding_dvw(const double q[4], const double p[3], double out[2][6])
{
    double r[9];
    rotation(q, r);
    sliding_rows(r, p, out);
}

void sliding_dvw_conjugate(const double q[4], const double p[3], double out[2][6])
{
    double r[9], t[9];
    rotation(q, r);
    transpose(r, t);
    sliding_rows(t, p, out);
}

double gap(const double x[3], const double q[4], const double p[3], const double n[3], const double o[3], double radius)
{
    double r[9], u[3];
    rotation(q, r);
    apply(r, p, u);
    return n[0] * (x[0] + u[0] - o[0]) + n[1] * (x[1] + u[1] - o[1]) + n[2] * (x[2] + u[2] - o[2]) - radius;
}

void gap_row(const double q[4], const double p[3], const double n[3], double out[6])
{
    double r[9], m[3], t[3];
    int i;
    rotation(q, r);
    apply_transposed(r, n, m);
    cross(p, m, t);
    for (i = 0; i < 3; i++) {
        out[i] = n[i];
        out[3 + i] = t[i];
    }
}
