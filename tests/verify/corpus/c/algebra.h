/* Small vectors and rotations, as solvers carry them along. Quaternions are scalar first; matrices are row by row. */
#ifndef ALGEBRA_H
#define ALGEBRA_H

static void skew(const double v[3], double s[9])
{
    s[0] = 0.0, s[1] = -v[2], s[2] = v[1];
    s[3] = v[2], s[4] = 0.0, s[5] = -v[0];
    s[6] = -v[1], s[7] = v[0], s[8] = 0.0;
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void rotation(const double q[4], double r[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    r[0] = 1.0 - 2.0 * (y * y + z * z);
    r[1] = 2.0 * (x * y - w * z);
    r[2] = 2.0 * (x * z + w * y);
    r[3] = 2.0 * (x * y + w * z);
    r[4] = 1.0 - 2.0 * (x * x + z * z);
    r[5] = 2.0 * (y * z - w * x);
    r[6] = 2.0 * (x * z - w * y);
    r[7] = 2.0 * (y * z + w * x);
    r[8] = 1.0 - 2.0 * (x * x + y * y);
}

/* c = a b */
static void multiply(const double a[9], const double b[9], double c[9])
{
    int i, j, k;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            c[3 * i + j] = 0.0;
            for (k = 0; k < 3; k++) {
                c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
            }
        }
    }
}

static void transpose(const double a[9], double t[9])
{
    int i, j;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            t[3 * j + i] = a[3 * i + j];
        }
    }
}

/* y = a x */
static void apply(const double a[9], const double x[3], double y[3])
{
    int i;
    for (i = 0; i < 3; ++i) {
        y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
    }
}

/* y = a^T x */
static void apply_transposed(const double a[9], const double x[3], double y[3])
{
    int i;
    for (i = 0; i < 3; ++i) {
        y[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
    }
}

/* c = a b, quaternions */
static void product_of(const double a[4], const double b[4], double c[4])
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* A block of a wider matrix. */
static void put(const double block[9], double scale, double *matrix, int columns, int row, int column)
{
    int i, j;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            matrix[columns * (row + i) + column + j] = scale * block[3 * i + j];
        }
    }
}

#endif
