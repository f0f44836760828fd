/* Constraint rows of joints between bodies a and b, and their Jacobians by (x_a, q_a, x_b, q_b). */
#include "algebra.h"

#define COLUMNS 12

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

void spherical(const double x_a[3], const double q_a[4], const double x_b[3], const double q_b[4], const double p_a[3],
               const double p_b[3], double g[3])
{
    double r_a[9], r_b[9], u_a[3], u_b[3];
    int i;
    rotation(q_a, r_a);
    rotation(q_b, r_b);
    apply(r_a, p_a, u_a);
    apply(r_b, p_b, u_b);
    for (i = 0; i < 3; i++) {
        g[i] = x_b[i] + u_b[i] - x_a[i] - u_a[i];
    }
}

/* -R [p] */
static void lever(const double q[4], const double p[3], double out[9])
{
    double r[9], s[9];
    int i;
    rotation(q, r);
    skew(p, s);
    multiply(r, s, out);
    for (i = 0; i < 9; i++) {
        out[i] = -out[i];
    }
}

void spherical_rows(const double q_a[4], const double q_b[4], const double p_a[3], const double p_b[3], double G[36])
{
    double a[9], b[9];
    lever(q_a, p_a, a);
    lever(q_b, p_b, b);
    put(IDENTITY, -1.0, G, COLUMNS, 0, 0);
    put(a, -1.0, G, COLUMNS, 0, 3);
    put(IDENTITY, 1.0, G, COLUMNS, 0, 6);
    put(b, 1.0, G, COLUMNS, 0, 9);
}

void spherical_rows_exchanged(const double q_a[4], const double q_b[4], const double p_a[3], const double p_b[3],
                              double G[36])
{
    double a[9], b[9];
    lever(q_a, p_a, a);
    lever(q_b, p_b, b);
    put(IDENTITY, 1.0, G, COLUMNS, 0, 0);
    put(b, 1.0, G, COLUMNS, 0, 3);
    put(IDENTITY, -1.0, G, COLUMNS, 0, 6);
    put(a, -1.0, G, COLUMNS, 0, 9);
}

void spherical_rows_world(const double q_a[4], const double q_b[4], const double p_a[3], const double p_b[3],
                          double G[36])
{
    double a[9], b[9], r[9], u[3];
    lever(q_a, p_a, a);
    rotation(q_b, r);
    apply(r, p_b, u);
    skew(u, b);
    put(IDENTITY, -1.0, G, COLUMNS, 0, 0);
    put(a, -1.0, G, COLUMNS, 0, 3);
    put(IDENTITY, 1.0, G, COLUMNS, 0, 6);
    put(b, -1.0, G, COLUMNS, 0, 9);
}

static void orientation_of(const double q_a[4], const double q_b[4], double d[4])
{
    const double back[4] = {q_a[0], -q_a[1], -q_a[2], -q_a[3]};
    product_of(back, q_b, d);
}

/* the anchor of b in axes of a */
static void anchor_in_a(const double x_a[3], const double r_a[9], const double x_b[3], const double r_b[9],
                        const double p_b[3], double u[3])
{
    double arm[3], r[3];
    int i;
    apply(r_b, p_b, arm);
    for (i = 0; i < 3; i++) {
        r[i] = x_b[i] + arm[i] - x_a[i];
    }
    apply_transposed(r_a, r, u);
}

void revolute(const double x_a[3], const double q_a[4], const double x_b[3], const double q_b[4], const double p_a[3],
              const double p_b[3], double g[5])
{
    double r_a[9], r_b[9], u[3], d[4];
    int i;
    rotation(q_a, r_a);
    rotation(q_b, r_b);
    anchor_in_a(x_a, r_a, x_b, r_b, p_b, u);
    orientation_of(q_a, q_b, d);
    for (i = 0; i < 3; i++) {
        g[i] = u[i] - p_a[i];
    }
    g[3] = 2.0 * d[1];
    g[4] = 2.0 * d[2];
}

static void revolute_scaled(const double x_a[3], const double q_a[4], const double x_b[3], const double q_b[4],
                            const double p_b[3], double scale, double G[60])
{
    double r_a[9], r_b[9], u[3], d[4], back[9], s[9], m[9], arm[9];
    int i;
    rotation(q_a, r_a);
    rotation(q_b, r_b);
    anchor_in_a(x_a, r_a, x_b, r_b, p_b, u);
    orientation_of(q_a, q_b, d);
    transpose(r_a, back);
    put(back, -1.0, G, COLUMNS, 0, 0);
    skew(u, s);
    put(s, 1.0, G, COLUMNS, 0, 3);
    put(back, 1.0, G, COLUMNS, 0, 6);
    lever(q_b, p_b, m);
    multiply(back, m, arm);
    put(arm, 1.0, G, COLUMNS, 0, 9);
    for (i = 36; i < 60; i++) {
        G[i] = 0.0;
    }
    G[36 + 3] = -scale * d[0];
    G[36 + 4] = -scale * d[3];
    G[36 + 5] = scale * d[2];
    G[48 + 3] = scale * d[3];
    G[48 + 4] = -scale * d[0];
    G[48 + 5] = -scale * d[1];
    G[36 + 9] = scale * d[0];
    G[36 + 10] = -scale * d[3];
    G[36 + 11] = scale * d[2];
    G[48 + 9] = scale * d[3];
    G[48 + 10] = scale * d[0];
    G[48 + 11] = -scale * d[1];
}

void revolute_rows(const double x_a[3], const double q_a[4], const double x_b[3], const double q_b[4],
                   const double p_b[3], double G[60])
{
    revolute_scaled(x_a, q_a, x_b, q_b, p_b, 1.0, G);
}

void revolute_rows_half(const double x_a[3], const double q_a[4], const double x_b[3], const double q_b[4],
                        const double p_b[3], double G[60])
{
    revolute_scaled(x_a, q_a, x_b, q_b, p_b, 0.5, G);
}

double rod(const double x_a[3], const double q_a[4], const double x_b[3], const double q_b[4], const double p_a[3],
           const double p_b[3], double rest)
{
    double r[3];
    spherical(x_a, q_a, x_b, q_b, p_a, p_b, r);
    return (dot(r, r) - rest * rest) / (2.0 * rest);
}

void rod_row(const double x_a[3], const double q_a[4], const double x_b[3], const double q_b[4], const double p_a[3],
             const double p_b[3], double rest, double G[12])
{
    double r[3], a[9], b[9];
    int i;
    spherical(x_a, q_a, x_b, q_b, p_a, p_b, r);
    lever(q_a, p_a, a);
    lever(q_b, p_b, b);
    for (i = 0; i < 3; i++) {
        G[i] = -r[i] / rest;
        G[3 + i] = -(r[0] * a[i] + r[1] * a[3 + i] + r[2] * a[6 + i]) / rest;
        G[6 + i] = r[i] / rest;
        G[9 + i] = (r[0] * b[i] + r[1] * b[3 + i] + r[2] * b[6 + i]) / rest;
    }
}

double universal(const double q_a[4], const double q_b[4])
{
    double r_a[9], r_b[9];
    rotation(q_a, r_a);
    rotation(q_b, r_b);
    return r_a[0] * r_b[1] + r_a[3] * r_b[4] + r_a[6] * r_b[7];
}

void universal_row(const double q_a[4], const double q_b[4], double G[6])
{
    double r_a[9], r_b[9], a[3], b[3], n[3], by_a[3], by_b[3];
    int i;
    rotation(q_a, r_a);
    rotation(q_b, r_b);
    for (i = 0; i < 3; i++) {
        a[i] = r_a[3 * i];
        b[i] = r_b[3 * i + 1];
    }
    cross(a, b, n);
    apply_transposed(r_a, n, by_a);
    apply_transposed(r_b, n, by_b);
    for (i = 0; i < 3; i++) {
        G[i] = by_a[i];
        G[3 + i] = -by_b[i];
    }
}
