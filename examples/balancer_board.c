/* Balances two poles on a cart: what runs on the board, once a millisecond.
 *
 * Three counts of encoders come in, the force of the next millisecond goes out, in mN; here through two pipes, which semihosting
 * reaches on a board. The controller carries its own model of the plant along: the exported solver. What was measured corrects it; then
 * it steps to where the plant will be when the force acts, and the force is -K times the state there.
 */
#include <stdio.h>

#include "balancer.h"
#include "gains.h" /* REGULATOR[6], OBSERVER[6][3], COUNT[3] [m, rad], LIMIT [N] */

#define N BALANCER_COORDINATES

static balancer_parameters p;
static balancer_options o;
static balancer_state z;
static balancer_input u;
static balancer_work w;
static balancer_info info;

/* coordinates and rates of the model: cart, lower pole, upper pole */
static const int order[N] = { BALANCER_COORDINATE_TRACK, BALANCER_COORDINATE_LOWER_HINGE, BALANCER_COORDINATE_UPPER_HINGE };
static balancer_real coordinates[N];
static balancer_real rates[N];
static int begun = 0;

/* the first counts are taken as they are */
static void begin(const int *counts)
{
    for (int m = 0; m < N; m++) {
        coordinates[order[m]] = (balancer_real)counts[m]*COUNT[m];
        rates[order[m]] = 0;
    }
    begun = 1;
}

/* the state is corrected by its share of what was not expected */
static void correct(const int *counts)
{
    balancer_real surprise[N];
    for (int m = 0; m < N; m++) {
        surprise[m] = ((balancer_real)counts[m]*COUNT[m]) - coordinates[order[m]];
    }
    for (int k = 0; k < N; k++) {
        for (int m = 0; m < N; m++) {
            coordinates[order[k]] += OBSERVER[k][m]*surprise[m];
            rates[order[k]] += OBSERVER[k + N][m]*surprise[m];
        }
    }
}

static balancer_real regulate(void)
{
    balancer_real force = 0;
    for (int k = 0; k < N; k++) {
        force -= (REGULATOR[k]*coordinates[order[k]]) + (REGULATOR[k + N]*rates[order[k]]);
    }
    force = (force > LIMIT) ? LIMIT : force;
    return (force < -LIMIT) ? -LIMIT : force;
}

/* one millisecond's work; returns the force from the next knot on [mN], and whether the model's step was solved */
int control(const int *counts, int *force);
int control(const int *counts, int *force)
{
    int status;
    if (begun == 0) {
        begin(counts);
    }
    correct(counts);
    (void)balancer_place(&p, &z, &u, &w, coordinates, rates);
    status = balancer_step(&p, &o, &z, &u, &w, &info);
    balancer_coordinates(&p, &z, &u, &w, coordinates, rates);
    *force = (int)((balancer_real)1000*regulate());
    /* the model is driven by the very force that acts */
    ((balancer_real *)&u)[BALANCER_INPUT_MOTOR_FORCE] = (balancer_real)*force/(balancer_real)1000;
    return status;
}

int main(void)
{
    FILE *const in = fopen("counts", "r");
    FILE *const out = fopen("forces", "w");
    int counts[N];
    int force = 0;
    if ((in == NULL) || (out == NULL)) {
        return 1;
    }
    if ((balancer_check(BALANCER_ABI, BALANCER_DIGEST, BALANCER_SIZES) != BALANCER_OK) || (balancer_init(&p, &o, &z, &u, &w) < 0)) {
        return 1;
    }
    while (fscanf(in, "%d %d %d", &counts[0], &counts[1], &counts[2]) == N) {
        const int status = control(counts, &force);
        fprintf(out, "%d %d\n", status, force);
        (void)fflush(out);
    }
    (void)fclose(in);
    (void)fclose(out);
    return 0;
}
