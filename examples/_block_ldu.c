/* Solve F x = b by block LDU elimination in a given order, for blocks of 6 x 6 with a symmetric pattern and regular
 * pivots: Algorithms 1 and 2 of Brüdigam & Manchester 2020 over the graph's blocks alone.
 *
 * order[k]: the node eliminated as the k-th. Its neighbours eliminated after it are near[start[k]] to
 * near[start[k + 1] - 1]; below and right are the blocks (neighbour, node) and (node, neighbour) in the same order.
 * changed: for each node the blocks (i, j) of all pairs of these neighbours, row by row.
 * blocks: (pairs, 6, 6), block n is the diagonal block of node n; overwritten. x: (nodes, 6), b in and the solution out. */

enum { N = 6, NN = 36 };

#if defined(__GNUC__)
#define API __attribute__((visibility("default")))
#else
#define API
#endif

/* inverse in place, Gauss and Jordan, without pivoting */
static void invert(double *a)
{
    for (int p = 0; p < N; p++) {
        const double pivot = 1.0 / a[N*p + p];
        a[N*p + p] = 1.0;
        for (int j = 0; j < N; j++) {
            a[N*p + j] *= pivot;
        }
        for (int i = 0; i < N; i++) {
            const double factor = a[N*i + p];
            if (i == p) {
                continue;
            }
            a[N*i + p] = 0.0;
            for (int j = 0; j < N; j++) {
                a[N*i + j] -= factor*a[N*p + j];
            }
        }
    }
}

/* c = a b */
static void multiply(const double *restrict a, const double *restrict b, double *restrict c)
{
    for (int i = 0; i < N; i++) {
        double row[N] = { 0.0 };
        for (int k = 0; k < N; k++) {
            for (int j = 0; j < N; j++) {
                row[j] += a[N*i + k]*b[N*k + j];
            }
        }
        for (int j = 0; j < N; j++) {
            c[N*i + j] = row[j];
        }
    }
}

/* y -= a x */
static void subtract(const double *restrict a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            y[i] -= a[N*i + k]*x[k];
        }
    }
}

API void block_ldu_solve(int nodes, const int *order, const int *start, const int *near, const int *below, const int *right,
    const int *changed, double *blocks, double *x)
{
    for (int k = 0; k < nodes; k++) {
        double *const inverse = &blocks[NN*order[k]];
        invert(inverse);
        for (int i = start[k]; i < start[k + 1]; i++) {
            double lower[NN], product[NN];
            multiply(&blocks[NN*below[i]], inverse, lower);
            subtract(lower, &x[N*order[k]], &x[N*near[i]]);
            for (int j = start[k]; j < start[k + 1]; j++) {
                double *const block = &blocks[NN*(*changed++)];
                multiply(lower, &blocks[NN*right[j]], product);
                for (int n = 0; n < NN; n++) {
                    block[n] -= product[n];
                }
            }
        }
    }
    for (int k = nodes - 1; k >= 0; k--) {
        double rest[N], *const own = &x[N*order[k]];
        for (int i = start[k]; i < start[k + 1]; i++) {
            subtract(&blocks[NN*right[i]], &x[N*near[i]], own);
        }
        for (int i = 0; i < N; i++) {
            rest[i] = -own[i];
            own[i] = 0.0;
        }
        subtract(&blocks[NN*order[k]], rest, own);
    }
}
