/* Predictive control on the board, once a millisecond: a quadratic program that OSQP's generated code solves.
 *
 * Cart and pole come in [um, urad and their rates], through a pipe, which semihosting reaches on a board; the force of
 * the next millisecond goes out [mN]. The program's matrices do not change, so that their factors are constants. Only its
 * vectors follow the state x: q = LINEAR x, and PLACES x, where the cart goes without forces, from the ends of the rail.
 */
#include <stdio.h>

#include "osqp.h"
#include "predictive_workspace.h"
#include "problem.h" /* STEPS, LINEAR[STEPS][4], PLACES[STEPS][4], LIMIT [N], RAIL [m] */

static OSQPFloat q[STEPS];
static OSQPFloat lower[2*STEPS];
static OSQPFloat upper[2*STEPS];

/* one millisecond's work; returns OSQP's status */
int control(const int *state, int *force);
int control(const int *state, int *force)
{
    for (int k = 0; k < STEPS; k++) {
        OSQPFloat place = 0;
        q[k] = 0;
        for (int j = 0; j < 4; j++) {
            const OSQPFloat x = (OSQPFloat)state[j]*(OSQPFloat)1e-6;
            q[k] += LINEAR[k][j]*x;
            place += PLACES[k][j]*x;
        }
        lower[k] = -LIMIT;
        upper[k] = LIMIT;
        lower[STEPS + k] = -RAIL - place;
        upper[STEPS + k] = RAIL - place;
    }
    (void)osqp_update_data_vec(&predictive_solver, q, lower, upper);
    (void)osqp_solve(&predictive_solver);
    OSQPFloat first = predictive_solver.solution->x[0];
    first = (first > LIMIT) ? LIMIT : first;
    first = (first < -LIMIT) ? -LIMIT : first;
    *force = (int)((OSQPFloat)1000*first);
    return (int)predictive_solver.info->status_val;
}

int main(void)
{
    FILE *const in = fopen("counts", "r");
    FILE *const out = fopen("forces", "w");
    int state[4];
    int force = 0;
    if ((in == NULL) || (out == NULL)) {
        return 1;
    }
    while (fscanf(in, "%d %d %d %d", &state[0], &state[1], &state[2], &state[3]) == 4) {
        const int status = control(state, &force);
        fprintf(out, "%d %d\n", status, force);
        (void)fflush(out);
    }
    (void)fclose(in);
    (void)fclose(out);
    return 0;
}
