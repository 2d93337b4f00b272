/* Parts of the JSON report that stand in files of their own. */
#ifndef ASCRIBE_REPORT_JSON_PARTS_H
#define ASCRIBE_REPORT_JSON_PARTS_H

#include "report/json.h"
#include "report/listing.h"

void json_run(struct json *json, const struct listing *listing);
void json_origin(struct json *json, const struct profile *profile);
void json_selection(struct json *json, const struct listing *listing);
void json_objects(struct json *json, const struct profile *profile);
void json_functions(struct json *json, const struct listing *listing);
void json_arcs(struct json *json, const struct listing *listing);
void json_lines(struct json *json, const struct listing *listing);
void json_call_sites(struct json *json, const struct listing *listing); /* of all functions */
void json_calls(struct json *json, const struct listing *listing);      /* of --calls */
void json_asm(struct json *json, const struct listing *listing);
void json_source(struct json *json, const struct listing *listing);
void json_programs(struct json *json, const struct profile *profile);
void json_processes(struct json *json, const struct profile *profile);
void json_threads(struct json *json, const struct listing *listing);
void json_runs(struct json *json, const struct profile *profile);

#endif
