/* Machine code in the JSON report. */
#include "report/code_pieces.h"
#include "report/json_parts.h"
#include "report/json_values.h"

static void write_instruction(struct json *json, const struct report_model *model,
                              const struct code_piece *piece, size_t index) {
  const struct instruction *instruction = &piece->disassembly.list[index];
  const struct code_row *row = &piece->rows[index];
  json_open(json, NULL, '{');
  json_number(json, "address", instruction->address);
  json_text(json, "text", instruction->text);
  if (instruction->target)
    json_number(json, "jumps_to", instruction->target);
  else
    json_null(json, "jumps_to");
  json_amount(json, "self", &model->books, row->self);
  json_text(json, "file", row->file);
  json_line(json, "line", row->line);
  json_text(json, "inlined", *row->inlined ? row->inlined : NULL);
  json_close(json, '}');
}

static void write_piece(struct json *json, const struct report_model *model,
                        const struct code_piece *piece) {
  json_open(json, NULL, '{');
  json_text(json, "name", piece->symbol.name);
  json_text(json, "linkage", piece->symbol.linkage);
  json_text(json, "object", model->profile->objects[piece->object].path);
  json_number(json, "address", piece->symbol.address);
  json_number(json, "bytes", piece->symbol.size);
  json_amount(json, "self", &model->books, piece->self);
  json_amount(json, "asked_for", &model->books, piece->own);
  json_open(json, "instructions", '[');
  for (size_t i = 0; piece->rows && i < piece->disassembly.count; i++)
    write_instruction(json, model, piece, i);
  json_close(json, ']');
  json_close(json, '}');
}

void json_asm(struct json *json, const struct report_model *model) {
  const struct subject *subject = model->options->assembly;
  json_open(json, "asm", '[');
  for (size_t i = 0; i < subject->group_count; i++) {
    struct code code;
    code_make(model, &subject->groups[i], &code);
    json_open(json, NULL, '{');
    json_open(json, "functions", '[');
    for (size_t id = 0; id < subject->groups[i].count; id++)
      json_id(json, NULL, subject->groups[i].ids[id]);
    json_close(json, ']');
    json_text(json, "error", code.error.text[0] ? code.error.text : NULL);
    json_open(json, "pieces", '[');
    for (size_t piece = 0; piece < code.count; piece++)
      write_piece(json, model, &code.pieces[piece]);
    json_close(json, ']');
    json_close(json, '}');
    code_free(&code);
  }
  json_close(json, ']');
}
