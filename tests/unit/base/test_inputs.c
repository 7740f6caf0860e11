/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The list of a run's inputs: names of one file, outputs over it, and names of no file.
 */
#include "base/io/inputs.h"
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void add(struct asim_inputs *inputs, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "%s", name);
    CHECK(asim_inputs_add(inputs, path, NULL) == 0);
    memset(path, 'x', sizeof path - 1); /* the list keeps no pointer to the text */
}

int main(void)
{
    struct asim_inputs inputs = {0};
    FILE *file = fopen("inputs.tmp", "w");

    CHECK(file && !fclose(file));
    add(&inputs, "");
    add(&inputs, ".");
    add(&inputs, "inputs.none");
    CHECK(inputs.file.n == 0);
    add(&inputs, "./inputs.tmp");
    CHECK(inputs.file.n == 1);
    CHECK(asim_inputs_has(&inputs, "inputs.tmp"));
    CHECK(!asim_inputs_has(&inputs, "inputs.none"));
    CHECK(!asim_inputs_has(&inputs, ""));
    asim_inputs_fini(&inputs);
    CHECK(unlink("inputs.tmp") == 0);
    return CHECK_DONE();
}
