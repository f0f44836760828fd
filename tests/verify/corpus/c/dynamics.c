/* Inertia terms and update maps: w an angular velocity, J an inertia row by row, h the step. */
#include <math.h>

#include "algebra.h"

void torque(const double w[3], const double J[9], double out[3])
{
    double l[3];
    apply(J, w, l);
    cross(w, l, out);
}

/* [w] J, and half - [J w] with it */
static void cross_terms(const double w[3], const double J[9], double half, double out[9])
{
    double l[3], s[9], t[9];
    int i;
    apply(J, w, l);
    skew(w, s);
    multiply(s, J, out);
    skew(l, t);
    for (i = 0; i < 9; i++) {
        out[i] -= half * t[i];
    }
}

void torque_dw(const double w[3], const double J[9], double out[9])
{
    cross_terms(w, J, 1.0, out);
}

void torque_dw_half(const double w[3], const double J[9], double out[9])
{
    cross_terms(w, J, 0.0, out);
}

void momentum(const double w[3], const double J[9], double h, double out[3])
{
    const double c = sqrt(1 - h * h * dot(w, w) / 4);
    double l[3], t[3];
    int i;
    apply(J, w, l);
    cross(w, l, t);
    for (i = 0; i < 3; i++) {
        out[i] = c * l[i] + 0.5 * h * t[i];
    }
}

void momentum_dw(const double w[3], const double J[9], double h, double out[9])
{
    const double c = sqrt(1 - h * h * dot(w, w) / 4);
    double l[3], t[9];
    int i, j;
    apply(J, w, l);
    cross_terms(w, J, 1.0, t);
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            out[3 * i + j] = c * J[3 * i + j] - h * h / (4 * c) * l[i] * w[j] + 0.5 * h * t[3 * i + j];
        }
    }
}

void momentum_dw_fixed_root(const double w[3], const double J[9], double h, double out[9])
{
    const double c = sqrt(1 - h * h * dot(w, w) / 4);
    double t[9];
    int i;
    cross_terms(w, J, 1.0, t);
    for (i = 0; i < 9; i++) {
        out[i] = c * J[i] + 0.5 * h * t[i];
    }
}

void momentum_dw_half_gyroscopic(const double w[3], const double J[9], double h, double out[9])
{
    const double c = sqrt(1 - h * h * dot(w, w) / 4);
    double l[3], t[9];
    int i, j;
    apply(J, w, l);
    cross_terms(w, J, 0.0, t);
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            out[3 * i + j] = c * J[3 * i + j] - h * h / (4 * c) * l[i] * w[j] + 0.5 * h * t[3 * i + j];
        }
    }
}

void update(const double q[4], const double w[3], double h, double out[4])
{
    const double s[4] = {sqrt(1.0 - 0.25 * h * h * dot(w, w)), 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    product_of(q, s, out);
}

/* scale q (slope, e_k), column by column */
static void update_columns(const double q[4], const double slope[3], double scale, double out[12])
{
    int i, k;
    for (k = 0; k < 3; k++) {
        double s[4] = {slope[k], 0.0, 0.0, 0.0}, column[4];
        s[k + 1] = 1.0;
        product_of(q, s, column);
        for (i = 0; i < 4; i++) {
            out[3 * i + k] = scale * column[i];
        }
    }
}

void update_dw(const double q[4], const double w[3], double h, double out[12])
{
    const double c = sqrt(1.0 - 0.25 * h * h * dot(w, w));
    const double slope[3] = {-0.5 * h * w[0] / c, -0.5 * h * w[1] / c, -0.5 * h * w[2] / c};
    update_columns(q, slope, 0.5 * h, out);
}

void update_dw_fixed_root(const double q[4], double h, double out[12])
{
    const double slope[3] = {0.0, 0.0, 0.0};
    update_columns(q, slope, 0.5 * h, out);
}

void update_dw_without_h(const double q[4], const double w[3], double h, double out[12])
{
    const double c = sqrt(1.0 - 0.25 * h * h * dot(w, w));
    const double slope[3] = {-0.5 * h * w[0] / c, -0.5 * h * w[1] / c, -0.5 * h * w[2] / c};
    update_columns(q, slope, 0.5, out);
}

void cayley(const double c[3], const double p[3], double out[3])
{
    const double scale = 2.0 / (1.0 + dot(c, c));
    double t[3], u[3];
    int i;
    cross(c, p, t);
    cross(c, t, u);
    for (i = 0; i < 3; i++) {
        out[i] = p[i] + scale * (t[i] + u[i]);
    }
}

void cayley_dc(const double c[3], const double p[3], double out[3][3])
{
    const double scale = 2.0 / (1.0 + dot(c, c));
    double t[3], u[3], s[9], st[9], sc[9], ss[9];
    int i, j;
    cross(c, p, t);
    cross(c, t, u);
    skew(p, s);
    skew(t, st);
    skew(c, sc);
    multiply(sc, s, ss);
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            out[i][j] = -scale * (s[3 * i + j] + st[3 * i + j] + ss[3 * i + j]);
            out[i][j] -= scale * scale * (t[i] + u[i]) * c[j];
        }
    }
}
