/* Parts of the JSON report that stand in files of their own. */
#ifndef ASCRIBE_REPORT_JSON_PARTS_H
#define ASCRIBE_REPORT_JSON_PARTS_H

#include "base/json.h"
#include "report/model.h"

void json_run(struct json *json, const struct report_model *model);
void json_selection(struct json *json, const struct report_model *model);
void json_views(struct json *json, const struct report_model *model); /* rows of the views */
void json_calls(struct json *json, const struct report_model *model); /* of --calls */
void json_asm(struct json *json, const struct report_model *model);
void json_source(struct json *json, const struct report_model *model);
void json_programs(struct json *json, const struct profile *profile);
void json_runs(struct json *json, const struct profile *profile);
void json_run_groups(struct json *json, const struct profile *profile);

#endif
