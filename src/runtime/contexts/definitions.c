#include "runtime/contexts/definitions.h"

#include "runtime/registry/storage.h"

#define BLOCK_BYTES 4000

uint32_t definition_text_bytes(const char *text) {
  uint32_t bytes = 0;
  while (text && bytes < DEFINITION_TEXT_MOST && text[bytes])
    bytes++;
  return bytes;
}

static char *put_text(char *to, const char *text) {
  uint32_t bytes = definition_text_bytes(text);
  for (uint32_t i = 0; i < bytes; i++)
    to[i] = text[i];
  return to + bytes + 1; /* the record was all zeros */
}

static struct block_header *new_block(struct definitions *definitions, struct block_header *full) {
  struct block_header *block = storage_claim(BLOCK_WORLD, BLOCK_BYTES, 0);
  if (!block) return NULL;
  block->first = definitions->world;
  if (__atomic_compare_exchange_n(&definitions->block, &full, block, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return block;
  block->kind = BLOCK_SCRATCH;
  return full;
}

static struct recorded_definition *claim(struct definitions *definitions, uint64_t bytes) {
  struct block_header *block = __atomic_load_n(&definitions->block, __ATOMIC_ACQUIRE);
  for (int tries = 0; tries < 3; tries++) {
    struct recorded_definition *record = block ? storage_claim_record(block, bytes) : NULL;
    if (record) return record;
    block = new_block(definitions, block);
    if (!block) return NULL;
  }
  return NULL;
}

struct recorded_definition *definition_write(struct definitions *definitions,
                                             const char *const *texts, uint32_t count) {
  uint64_t bytes = sizeof(struct recorded_definition) + count;
  for (uint32_t i = 0; i < count; i++)
    bytes += definition_text_bytes(texts[i]);
  bytes = (bytes + CONTEXT_UNIT - 1) / CONTEXT_UNIT * CONTEXT_UNIT;
  struct recorded_definition *record = claim(definitions, bytes);
  char *to = record ? record->text : NULL;
  for (uint32_t i = 0; to && i < count; i++)
    to = put_text(to, texts[i]);
  return record;
}
