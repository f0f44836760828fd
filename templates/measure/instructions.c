/* A plugin of QEMU: the instructions of every call of some functions.
 *
 * Arguments: output=FILE and function=ADDRESS, as often as there are functions. FILE gets a line for each call that ends: the
 * function's place among the arguments, and how many instructions passed from its first one to its return, calls inside it included.
 *
 * QEMU translates straight pieces of code and calls back at the start of each. A function begins with a piece of its own, and so does
 * what it returns to: the address behind the piece that called it. The interface is declared here, as far as it is used, because
 * distributions ship QEMU without its header.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define PUBLIC __attribute__((visibility("default")))
#define OF_QEMU __attribute__((weak))
#else
#define PUBLIC
#define OF_QEMU
#endif

#define FUNCTIONS 16

typedef uint64_t identity;
struct piece;
struct instruction;
typedef void (*on_translation)(identity, struct piece *);
typedef void (*on_execution)(unsigned int, void *);
OF_QEMU void qemu_plugin_register_vcpu_tb_trans_cb(identity, on_translation);
OF_QEMU void qemu_plugin_register_vcpu_tb_exec_cb(struct piece *, on_execution, int, void *);
OF_QEMU size_t qemu_plugin_tb_n_insns(const struct piece *);
OF_QEMU uint64_t qemu_plugin_tb_vaddr(const struct piece *);
OF_QEMU struct instruction *qemu_plugin_tb_get_insn(const struct piece *, size_t);
OF_QEMU size_t qemu_plugin_insn_size(const struct instruction *);

PUBLIC int qemu_plugin_version = INTERFACE;

typedef struct {
    uint64_t begin;
    uint64_t end;
    uint64_t instructions;
} translated;

static uint64_t functions[FUNCTIONS];
static int known = 0;
static int running = -1;
static uint64_t passed = 0;
static uint64_t passed_before = 0;
static uint64_t last_end = 0;
static uint64_t back = 0;
static FILE *output = NULL;

/* called before each piece is executed */
static void executed(unsigned int processor, void *data)
{
    const translated *piece = (const translated *)data;
    (void)processor;
    if ((running >= 0) && (piece->begin == back)) {
        fprintf(output, "%d %" PRIu64 "\n", running, passed - passed_before);
        fflush(output);
        running = -1;
    }
    for (int k = 0; (running < 0) && (k < known); k++) {
        if (piece->begin == functions[k]) {
            running = k;
            passed_before = passed;
            back = last_end;
        }
    }
    passed += piece->instructions;
    last_end = piece->end;
}

/* called when a piece is translated; pieces are few and live as long as the program */
static void translate(identity plugin, struct piece *piece)
{
    translated *made = (translated *)malloc(sizeof *made);
    (void)plugin;
    if (made == NULL) {
        abort();
    }
    made->begin = qemu_plugin_tb_vaddr(piece);
    made->end = made->begin;
    made->instructions = qemu_plugin_tb_n_insns(piece);
    for (size_t n = 0; n < made->instructions; n++) {
        made->end += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(piece, n));
    }
    qemu_plugin_register_vcpu_tb_exec_cb(piece, executed, 0, made);
}

/* QEMU's entry point; 0 where the plugin is ready */
PUBLIC int qemu_plugin_install(identity plugin, const void *qemu, int count, char **arguments)
{
    (void)qemu;
    for (int k = 0; k < count; k++) {
        if (strncmp(arguments[k], "output=", 7) == 0) {
            output = fopen(arguments[k] + 7, "w");
        } else if ((strncmp(arguments[k], "function=", 9) == 0) && (known < FUNCTIONS)) {
            functions[known] = strtoull(arguments[k] + 9, NULL, 0);
            known++;
        } else {
            return 1;
        }
    }
    if (output == NULL) {
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(plugin, translate);
    return 0;
}
