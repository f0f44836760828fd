"""Derivatives as people write them in C: loops, helpers, tables, branches. Each is that of a claim of physics."""

HEAD = """
#include <math.h>
typedef double real;
#define N 3
"""
CROSS = """
static void cross(const real *a, const real *b, real *out)
{
    out[0] = a[1]*b[2] - a[2]*b[1];
    out[1] = a[2]*b[0] - a[0]*b[2];
    out[2] = a[0]*b[1] - a[1]*b[0];
}
"""
DOT = """
static real dot(const real a[N], const real b[N])
{
    real sum = 0.0;
    for (int i = 0; i < N; i++) sum += a[i]*b[i];
    return sum;
}
"""
MATRIX = """
static void matrix(const real q[4], real R[N][N])
{
    const real w = q[0], x = q[1], y = q[2], z = q[3];
    R[0][0] = w*w + x*x - y*y - z*z; R[0][1] = 2*(x*y - w*z); R[0][2] = 2*(x*z + w*y);
    R[1][0] = 2*(x*y + w*z); R[1][1] = w*w - x*x + y*y - z*z; R[1][2] = 2*(y*z - w*x);
    R[2][0] = 2*(x*z - w*y); R[2][1] = 2*(y*z + w*x); R[2][2] = w*w - x*x - y*y + z*z;
}
"""
ROTATED = """
/* d(R p)/d theta = -R p^ */
void rotated(const real q[4], const real p[3], real G[3][3])
{
    real R[N][N];
    const real P[N][N] = {{0, -p[2], p[1]}, {p[2], 0, -p[0]}, {-p[1], p[0], 0}};
    matrix(q, R);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            G[i][j] = 0.0;
            for (int k = 0; k < N; k++) G[i][j] -= R[i][k]*P[k][j];
        }
}
"""
ROTATED_WORLD = """
/* in world axes: columns e_k x (R p) */
void rotated_world(const real q[4], const real p[3], real G[3][3])
{
    real R[N][N], r[N];
    matrix(q, R);
    for (int i = 0; i < N; i++) r[i] = dot(R[i], p);
    for (int k = 0; k < N; k++) {
        real e[N] = {0.0}, c[N];
        e[k] = 1.0;
        cross(e, r, c);
        for (int i = 0; i < N; i++) G[i][k] = c[i];
    }
}
"""
SPHERICAL = """
static void lever(const real q[4], const real p[3], real out[3][3])
{
    real R[N][N];
    matrix(q, R);
    for (int i = 0; i < N; i++) {
        out[i][0] = R[i][2]*p[1] - R[i][1]*p[2];
        out[i][1] = R[i][0]*p[2] - R[i][2]*p[0];
        out[i][2] = R[i][1]*p[0] - R[i][0]*p[1];
    }
}
void spherical(const real q_a[4], const real q_b[4], const real p_a[3], const real p_b[3], real G[3][12])
{
    real a[3][3], b[3][3];
    lever(q_a, p_a, a);
    lever(q_b, p_b, b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const real one = (i == j) ? 1.0 : 0.0;
            G[i][j] = -one;
            G[i][j + 3] = -a[i][j];
            G[i][j + 6] = one;
            G[i][j + 9] = b[i][j];
        }
}
"""
MOMENTUM = """
/* d(c J w + (h/2) w x J w)/dw, c = sqrt(1 - (h^2/4) w.w) */
void momentum(const real w[3], const real J[3], real h, real G[3][3])
{
    const real a = 0.5*h, c = sqrt(1.0 - a*a*dot(w, w));
    for (int i = 0; i < N; i++) {
        const int j = (i + 1) % N, k = (i + 2) % N;
        const real slope = -a*a*J[i]*w[i]/c;
        G[i][i] = c*J[i] + slope*w[i];
        G[i][j] = slope*w[j] + a*w[k]*(J[k] - J[j]);
        G[i][k] = slope*w[k] + a*w[j]*(J[k] - J[j]);
    }
}
"""
SPRING = """
/* -k ((1 - L/d) I + (L/d^3) x x^T) */
void spring(const real x[3], real k, real L, real G[3][3])
{
    const real d = sqrt(dot(x, x)), ratio = L/d;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            G[i][j] = -k*ratio*x[i]*x[j]/(d*d);
            if (i == j) G[i][j] -= k*(1.0 - ratio);
        }
}
"""
PENALTY = """
static real steepness(real g, real k, real L)
{
    if (g < -L) return -k*L;
    return g < 0.0 ? k*g : 0.0;
}
void penalty(const real x[3], real k, real L, real G[3])
{
    const real slope = steepness(x[2] + x[0]*x[1], k, L);
    const real gap[3] = {x[1], x[0], 1.0};
    real *to = G;
    for (int i = 0; i < N; i++) *to++ = slope*gap[i];
}
"""
FRICTION = """
void friction(const real v[3], real mu, real s, real G[3][3])
{
    const real square = v[0]*v[0] + v[1]*v[1] + v[2]*v[2] + s*s, size = sqrt(square);
    int i, j;
    for (i = 0; i < 3; ++i) {
        for (j = 0; j < 3; ++j) G[i][j] = mu*v[i]*v[j]/(square*size);
        G[i][i] += -mu/size;
    }
}
"""
PENDULUM = """
void pendulum(const real x[3], real L, real k, real G[9])
{
    const real z = x[2], s = sin(x[0]), c = cos(x[0]);
    G[0] = L*c;    G[1] = -k*exp(-x[1]);       G[2] = 0.0;
    G[3] = -L*s*z; G[4] = 0.0;                 G[5] = L*c;
    G[6] = 0.0;    G[7] = log(1.0 + z*z);      G[8] = 2.0*z*x[1]/(1.0 + z*z);
}
"""
TEXTS = {
    "rotated": HEAD + MATRIX + ROTATED,
    "rotated_world": HEAD + CROSS + DOT + MATRIX + ROTATED_WORLD,
    "spherical": HEAD + MATRIX + SPHERICAL,
    "momentum": HEAD + DOT + MOMENTUM,
    "spring": HEAD + DOT + SPRING,
    "penalty": HEAD + PENALTY,
    "friction": HEAD + FRICTION,
    "pendulum": HEAD + PENDULUM,
}
