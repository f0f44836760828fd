/* A force y at an anchor p of a body, and the derivative of it and its moment by (x, q). */
#include "algebra.h"

void anchor(const double x[3], const double q[4], const double p[3], double out[3])
{
    double r[9], u[3];
    int i;
    rotation(q, r);
    apply(r, p, u);
    for (i = 0; i < 3; i++) {
        out[i] = x[i] + u[i];
    }
}

static void moments(const double a[9], const double b[9], double out[36])
{
    double ab[9];
    int i;
    for (i = 0; i < 36; i++) {
        out[i] = 0;
    }
    multiply(a, b, ab);
    put(ab, 1.0, out, 6, 3, 3);
}

void anchor_force_dz(const double q[4], const double p[3], const double y[3], double out[36])
{
    double r[9], f[3], s[9], t[9];
    rotation(q, r);
    apply_transposed(r, y, f);
    skew(p, s);
    skew(f, t);
    moments(s, t, out);
}

void anchor_force_dz_transposed(const double q[4], const double p[3], const double y[3], double out[36])
{
    double r[9], f[3], s[9], t[9];
    rotation(q, r);
    apply_transposed(r, y, f);
    skew(p, s);
    skew(f, t);
    moments(t, s, out);
}
