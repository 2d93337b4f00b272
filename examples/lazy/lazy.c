/* A lazy machine, and a language host: the lines that end in HOST are all that it tells Ascribe.
 *
 *   cc -O2 -I../../include lazy.c -o lazy
 *   ascribe record -- ./lazy sieve.stg
 *   ascribe record --clock host -- ./lazy sieve.stg      exact, in steps
 *
 * It is the STG machine, as eval/apply, with the cost centres of Sansom and Peyton Jones (1992);
 * the numbers of their rules stand where they are applied.  The language is in docs/HOSTS.md. */
#include <ascribe/host.h> // HOST

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED_MOST = 1000, ARGUMENTS_MOST = 60, FRAMES = 1 << 20, SLOTS = 1 << 22 };

/* ---- errors ---- */

struct position {
  int line, column;
};

static const char *path;

__attribute__((noreturn, format(printf, 2, 3))) static void fail(struct position at,
                                                                 const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fprintf(stderr, "%s:%d:%d: ", path, at.line, at.column);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static void *memory(size_t count, size_t bytes) {
  void *made = calloc(count ? count : 1, bytes);
  if (!made) fail((struct position){0, 0}, "no memory");
  return made;
}

static void *grown(void *array, int count, size_t bytes) {
  if (count & (count - 1)) return array;
  void *made = realloc(array, (count ? 2 * (size_t)count : 1) * bytes);
  if (!made) fail((struct position){0, 0}, "no memory");
  return made;
}

/* ---- text ---- */

struct node {
  const char *word; /* null: a list */
  struct node **items;
  int count;
  struct position at;
};

static FILE *source;
static struct position reader = {1, 1};

static int next_character(void) {
  int c = getc(source);
  if (c == '\n') reader = (struct position){reader.line + 1, 0};
  reader.column++;
  return c;
}

/* The first one that is neither white nor in a comment. */
static int skip_white(void) {
  int c;
  for (;;) {
    c = next_character();
    if (c == ';')
      while (c != '\n' && c != EOF)
        c = next_character();
    if (c == EOF || !isspace(c)) return c;
  }
}

static const char *interned(const char *word) {
  static char **words;
  static int count;
  for (int i = 0; i < count; i++)
    if (strcmp(words[i], word) == 0) return words[i];
  words = grown(words, count, sizeof *words);
  if (!(words[count] = strdup(word))) fail(reader, "no memory");
  return words[count++];
}

static struct node *new_node(struct position at) {
  struct node *node = memory(1, sizeof *node);
  node->at = at;
  return node;
}

static void append(struct node *list, struct node *item) {
  list->items = grown(list->items, list->count, sizeof(struct node *));
  list->items[list->count++] = item;
}

static struct node *read_word(int c) {
  char word[256];
  int length = 0;
  struct node *node = new_node((struct position){reader.line, reader.column - 1});
  for (; c != EOF && !isspace(c) && !strchr("();", c); c = next_character()) {
    if (length == sizeof word - 1) fail(node->at, "a word of more than 255 characters");
    word[length++] = (char)c;
  }
  if (c == '\n') reader.line--; /* it is read again */
  if (c != EOF) ungetc(c, source), reader.column--;
  word[length] = '\0';
  node->word = interned(word);
  return node;
}

static struct node *read_node(int c, int depth) {
  struct node *list = new_node((struct position){reader.line, reader.column - 1});
  if (depth > NESTED_MOST) fail(list->at, "nested more than %d deep", NESTED_MOST);
  if (c == ')') fail(list->at, "a ) too many");
  if (c != '(') return read_word(c);
  while ((c = skip_white()) != ')') {
    if (c == EOF) fail(list->at, "this ( has no )");
    append(list, read_node(c, depth + 1));
  }
  return list;
}

/* ---- code ---- */

typedef intptr_t value; /* a whole number as 2n + 1, or a struct object */

struct atom {
  int is_local;
  value value; /* or its slot */
};

struct alternative {
  enum { BY_CONSTRUCTOR, BY_NUMBER, ANYTHING } by;
  const char *constructor;
  value number;
  int slots[ARGUMENTS_MOST], count;
  struct expression *result;
};

struct expression {
  enum { APPLICATION, CONSTRUCTION, LET, CASE, SCC, OPERATION, PRINT } kind;
  struct position at;
  struct atom head, *arguments;
  int count;
  const char *name; /* of a constructor, an operation, a centre */
  struct form **forms;
  int *slots;                        /* of the forms, or of what a case examines */
  struct expression *first, *second; /* what is examined, or what follows */
  struct alternative *alternatives;
  ascribe_cost_centre centre; // HOST
  ascribe_point place;        // HOST
  uint32_t closure;           // HOST: of a construction
};

/* The code of a closure: its arguments and body, or a constructor and its fields. */
struct form {
  const char *name, *description;
  enum { UPDATABLE, SINGLE_ENTRY, REENTRANT, CONSTRUCTOR } flag;
  int arity, slots, captured;
  struct atom *captures; /* in whoever builds the closure */
  int *captured_slots;
  const char **captured_names;
  struct expression *body;
  struct position at;
  ascribe_point point; // HOST
  uint32_t closure;    // HOST
};

struct scope {
  struct form *form;
  struct scope *outer;
  const char **names;
  int *slots, count;
};

struct object {
  enum { FUNCTION, THUNK, DATA, PARTIAL, ENTERED, INDIRECTION, MOVED } kind;
  int count;
  uint32_t centre;  // HOST
  uint32_t closure; // HOST: what it is, by its place in `closures`
  const void *info; /* struct form, or the name of a constructor */
  value fields[];
};

static struct global {
  const char *name;
  struct object *object;
  struct node *definition;
} * globals;
static int global_count;
static uint32_t world, file; // HOST

static struct object *static_object(int kind, const void *info) {
  struct object *object = memory(1, sizeof *object + sizeof(value));
  object->kind = kind;
  object->info = info;
  return object;
}

static value without_fields(const char *constructor) {
  static struct object **known;
  static int count;
  for (int i = 0; i < count; i++)
    if (known[i]->info == constructor) return (value)known[i];
  known = grown(known, count, sizeof(struct object *));
  known[count] = static_object(DATA, constructor);
  return (value)known[count++];
}

static int is_list(const struct node *node) {
  return !node->word;
}

static int is_number(const struct node *node) {
  const char *digits = node->word + (node->word && node->word[0] == '-');
  return node->word && isdigit((unsigned char)digits[0]);
}

static int is_constructor(const struct node *node) {
  return node->word && isupper((unsigned char)node->word[0]);
}

static int begins_with(const struct node *node, const char *word) {
  return is_list(node) && node->count && node->items[0]->word &&
         strcmp(node->items[0]->word, word) == 0;
}

static value number_of(const struct node *node) {
  char *end;
  long long number = strtoll(node->word, &end, 10);
  if (*end || number > INTPTR_MAX / 2 || number < INTPTR_MIN / 2)
    fail(node->at, "%s is not a number", node->word);
  return (value)((uintptr_t)number << 1 | 1);
}

static const char *name_of(const struct node *node) {
  if (is_list(node) || is_number(node) || is_constructor(node)) fail(node->at, "expected a name");
  return node->word;
}

static int bind(struct scope *scope, const char *name) {
  scope->names = grown(scope->names, scope->count, sizeof *scope->names);
  scope->slots = grown(scope->slots, scope->count, sizeof *scope->slots);
  scope->names[scope->count] = name;
  return scope->slots[scope->count++] = scope->form->slots++;
}

static struct atom capture(struct form *form, const char *name, struct atom outer) {
  int n = form->captured++;
  form->captures = grown(form->captures, n, sizeof *form->captures);
  form->captured_slots = grown(form->captured_slots, n, sizeof *form->captured_slots);
  form->captured_names = grown(form->captured_names, n, sizeof *form->captured_names);
  form->captures[n] = outer;
  form->captured_names[n] = name;
  form->captured_slots[n] = form->slots++;
  return (struct atom){1, form->captured_slots[n]};
}

/* 0: nobody binds it. */
static int find(const char *name, struct scope *scope, struct atom *found) {
  for (int i = scope->count; i-- > 0;)
    if (scope->names[i] == name) return *found = (struct atom){1, scope->slots[i]}, 1;
  const struct form *form = scope->form;
  for (int i = 0; i < form->captured; i++)
    if (form->captured_names[i] == name)
      return *found = (struct atom){1, form->captured_slots[i]}, 1;
  if (scope->outer) {
    if (!find(name, scope->outer, found)) return 0;
    if (found->is_local) *found = capture(scope->form, name, *found);
    return 1;
  }
  for (int i = 0; i < global_count; i++)
    if (globals[i].name == name) return *found = (struct atom){0, (value)globals[i].object}, 1;
  return 0;
}

static struct atom atom_of(const struct node *node, struct scope *scope) {
  struct atom found = {0, 0};
  if (is_list(node)) fail(node->at, "expected a name or a number");
  if (is_number(node)) return (struct atom){0, number_of(node)};
  if (is_constructor(node)) return (struct atom){0, without_fields(node->word)};
  if (!find(node->word, scope, &found)) fail(node->at, "%s is not defined", node->word);
  return found;
}

static struct expression *compile(struct node *node, struct scope *scope);

static struct expression *new_expression(int kind, const struct node *node, struct scope *scope) {
  struct expression *made = memory(1, sizeof *made);
  struct ascribe_range at = ascribe_range_at((uint32_t)node->at.line,    // HOST
                                             (uint32_t)node->at.column); // HOST
  made->kind = kind;
  made->at = node->at;
  made->place = ascribe_host_place(scope->form->point, ASCRIBE_EXPRESSION, at); // HOST
  return made;
}

static void define_point(struct form *form) { // HOST, to the end of the function
  form->point =
      ascribe_host_function(world, form->name, file,
                            ascribe_range_at((uint32_t)form->at.line, (uint32_t)form->at.column));
}

static size_t bytes_of(int fields) {
  return sizeof(struct object) + (size_t)(fields ? fields : 1) * sizeof(value);
}

static struct known_closure { // HOST, to the end of the function
  ascribe_closure closure;
  enum ascribe_closure_kind kind;
  const char *description;
  int fields;
} * closures;
static int closure_count;

static uint32_t define_closure(enum ascribe_closure_kind kind, const char *description,
                               int fields) {
  for (int i = 0; i < closure_count; i++)
    if (closures[i].kind == kind && closures[i].fields == fields &&
        strcmp(closures[i].description, description) == 0)
      return (uint32_t)i;
  closures = grown(closures, closure_count, sizeof *closures);
  closures[closure_count] = (struct known_closure){
      ascribe_host_closure(kind, description, bytes_of(fields)), kind, description, fields};
  return (uint32_t)closure_count++;
}

/* The name of the function that a thunk applies. */
static const char *description_of(const struct node *body) {
  const struct node *head = is_list(body) && body->count ? body->items[0] : body;
  return head->word && !is_number(head) ? head->word : "UNKNOWN";
}

static void check_count(const struct node *node, int count, const char *form) {
  if (node->count != count) fail(node->at, "expected %s", form);
}

static void compile_form(struct form *form, struct node *arguments, struct node *body,
                         struct scope *outer) {
  struct scope scope = {form, outer, NULL, NULL, 0};
  if (arguments && !is_list(arguments)) fail(arguments->at, "expected a list of arguments");
  if (arguments && arguments->count > ARGUMENTS_MOST) fail(arguments->at, "too many arguments");
  for (int i = 0; arguments && i < arguments->count; i++, form->arity++)
    bind(&scope, name_of(arguments->items[i]));
  form->description = form->arity ? form->name : description_of(body);
  if (form->arity) form->flag = REENTRANT;
  define_point(form); // HOST
  form->body = compile(body, &scope);
}

static struct form *new_form(const char *name, struct position at) {
  struct form *form = memory(1, sizeof *form);
  form->name = name;
  form->at = at;
  return form;
}

static int has_only_atoms(const struct node *node) {
  for (int i = 1; i < node->count; i++)
    if (is_list(node->items[i])) return 0;
  return node->count <= ARGUMENTS_MOST;
}

/* A binding of `let`: a name, and a function, a constructor with its fields, or a thunk. */
static struct form *compile_bound(const char *name, struct node *node, struct scope *scope) {
  struct form *form = new_form(name, node->at);
  if (begins_with(node, "lam")) {
    check_count(node, 3, "(lam (ARGUMENT...) BODY)");
    compile_form(form, node->items[1], node->items[2], scope);
  } else if (is_list(node) && node->count > 1 && is_constructor(node->items[0]) &&
             has_only_atoms(node)) {
    form->flag = CONSTRUCTOR;
    form->name = form->description = node->items[0]->word;
    for (int i = 1; i < node->count; i++) {
      form->captures = grown(form->captures, form->captured, sizeof *form->captures);
      form->captures[form->captured++] = atom_of(node->items[i], scope);
    }
  } else if (begins_with(node, "single")) {
    check_count(node, 2, "(single BODY)");
    form->flag = SINGLE_ENTRY;
    compile_form(form, NULL, node->items[1], scope);
  } else {
    compile_form(form, NULL, node, scope);
  }
  form->closure = define_closure(form->flag == CONSTRUCTOR ? ASCRIBE_CONSTRUCTOR // HOST
                                 : form->arity             ? ASCRIBE_FUNCTION    // HOST
                                                           : ASCRIBE_THUNK,                  // HOST
                                 form->description, form->captured);             // HOST
  return form;
}

static struct expression *compile_let(struct node *node, struct scope *scope) {
  int is_recursive = node->items[0]->word[3] == 'r', kept = scope->count;
  check_count(node, 3, "(let ((NAME EXPRESSION)...) BODY)");
  struct node *bound = node->items[1];
  struct expression *made = new_expression(LET, node, scope);
  if (!is_list(bound)) fail(bound->at, "expected ((NAME EXPRESSION)...)");
  made->count = bound->count;
  made->forms = memory((size_t)bound->count, sizeof(struct form *));
  made->slots = memory((size_t)bound->count, sizeof *made->slots);
  for (int i = 0; i < bound->count; i++) {
    if (!is_list(bound->items[i])) fail(bound->items[i]->at, "expected (NAME EXPRESSION)");
    check_count(bound->items[i], 2, "(NAME EXPRESSION)");
    name_of(bound->items[i]->items[0]);
  }
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < bound->count; i++) {
      struct node **pair = bound->items[i]->items;
      if (pass == is_recursive)
        made->forms[i] = compile_bound(pair[0]->word, pair[1], scope);
      else
        made->slots[i] = bind(scope, pair[0]->word);
    }
  made->second = compile(node->items[2], scope);
  scope->count = kept;
  return made;
}

static void compile_pattern(struct alternative *made, const struct node *pattern,
                            struct scope *scope) {
  const struct node *head = is_list(pattern) && pattern->count ? pattern->items[0] : pattern;
  if (is_number(pattern)) {
    made->by = BY_NUMBER;
    made->number = number_of(pattern);
  } else if (is_constructor(head)) {
    made->constructor = head->word;
    if (pattern->count > ARGUMENTS_MOST) fail(pattern->at, "too many fields");
    for (int i = 1; i < pattern->count; i++)
      made->slots[made->count++] = bind(scope, name_of(pattern->items[i]));
  } else {
    made->by = ANYTHING;
    made->slots[0] = bind(scope, name_of(pattern));
  }
}

static struct expression *compile_case(struct node *node, struct scope *scope) {
  if (node->count < 3) fail(node->at, "expected (case EXPRESSION (PATTERN EXPRESSION)...)");
  struct expression *made = new_expression(CASE, node, scope);
  made->first = compile(node->items[1], scope);
  made->count = node->count - 2;
  made->alternatives = memory((size_t)made->count, sizeof *made->alternatives);
  for (int i = 0; i < made->count; i++) {
    struct node *alternative = node->items[i + 2];
    int kept = scope->count;
    if (!is_list(alternative)) fail(alternative->at, "expected (PATTERN EXPRESSION)");
    check_count(alternative, 2, "(PATTERN EXPRESSION)");
    compile_pattern(&made->alternatives[i], alternative->items[0], scope);
    made->alternatives[i].result = compile(alternative->items[1], scope);
    scope->count = kept;
  }
  return made;
}

static struct expression *compile_scc(struct node *node, struct scope *scope) {
  check_count(node, 3, "(scc LABEL EXPRESSION)");
  if (is_list(node->items[1])) fail(node->items[1]->at, "expected a label");
  struct expression *made = new_expression(SCC, node, scope);
  made->name = node->items[1]->word;
  made->centre = ascribe_host_centre(made->name, path, path, (uint32_t)node->at.line); // HOST
  made->second = compile(node->items[2], scope);
  return made;
}

/* `then` with the value of the operand: (case OPERAND (name then)). */
static struct expression *examine(struct node *operand, int slot, struct expression *then,
                                  struct scope *scope) {
  struct expression *made = new_expression(CASE, operand, scope);
  made->first = compile(operand, scope);
  made->count = 1;
  made->alternatives = memory(1, sizeof *made->alternatives);
  made->alternatives[0].by = ANYTHING;
  made->alternatives[0].slots[0] = slot;
  made->alternatives[0].result = then;
  return made;
}

/* Both operands are evaluated, the first one first. */
static struct expression *compile_operation(struct node *node, struct scope *scope) {
  check_count(node, 3, "two operands");
  struct expression *made = new_expression(OPERATION, node, scope);
  int first = scope->form->slots++, second = scope->form->slots++;
  made->name = node->items[0]->word;
  made->arguments = memory(2, sizeof *made->arguments);
  made->arguments[0] = (struct atom){1, first};
  made->arguments[1] = (struct atom){1, second};
  return examine(node->items[1], first, examine(node->items[2], second, made, scope), scope);
}

static struct expression *compile_print(struct node *node, struct scope *scope) {
  check_count(node, 3, "(print EXPRESSION EXPRESSION)");
  struct expression *made = new_expression(PRINT, node, scope);
  int slot = scope->form->slots++;
  made->head = (struct atom){1, slot};
  made->second = compile(node->items[2], scope);
  return examine(node->items[1], slot, made, scope);
}

/* A list among the arguments: (let ((name list)) ...), with a name that no program can have. */
static struct expression *name_argument(struct node *node, int which, struct scope *scope) {
  static int count;
  char name[32];
  snprintf(name, sizeof name, "(%d)", ++count);
  struct expression *made = new_expression(LET, node, scope);
  struct node *argument = node->items[which], *named = new_node(argument->at);
  int kept = scope->count;
  named->word = interned(name);
  made->count = 1;
  made->forms = memory(1, sizeof(struct form *));
  made->slots = memory(1, sizeof *made->slots);
  made->forms[0] = compile_bound("(argument)", argument, scope);
  made->slots[0] = bind(scope, named->word);
  node->items[which] = named;
  made->second = compile(node, scope);
  scope->count = kept;
  return made;
}

static struct expression *compile_application(struct node *node, struct scope *scope) {
  if (node->count - 1 > ARGUMENTS_MOST) fail(node->at, "too many arguments");
  for (int i = 0; i < node->count; i++)
    if (is_list(node->items[i])) return name_argument(node, i, scope);
  int is_data = is_constructor(node->items[0]) && node->count > 1;
  struct expression *made = new_expression(is_data ? CONSTRUCTION : APPLICATION, node, scope);
  made->name = node->items[0]->word;
  if (!is_data) made->head = atom_of(node->items[0], scope);
  made->count = node->count - 1;
  if (is_data) made->closure = define_closure(ASCRIBE_CONSTRUCTOR, made->name, made->count); // HOST
  made->arguments = memory((size_t)made->count, sizeof *made->arguments);
  for (int i = 0; i < made->count; i++)
    made->arguments[i] = atom_of(node->items[i + 1], scope);
  return made;
}

static const char *const operations[] = {"+", "-", "*", "div", "mod", ">", "=="};

static int is_operation(const struct node *node) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (begins_with(node, operations[i])) return 1;
  return 0;
}

static struct expression *compile(struct node *node, struct scope *scope) {
  if (!is_list(node)) {
    struct expression *made = new_expression(APPLICATION, node, scope);
    made->head = atom_of(node, scope);
    return made;
  }
  if (!node->count) fail(node->at, "expected an expression");
  if (begins_with(node, "let") || begins_with(node, "letrec")) return compile_let(node, scope);
  if (begins_with(node, "case")) return compile_case(node, scope);
  if (begins_with(node, "scc")) return compile_scc(node, scope);
  if (begins_with(node, "print")) return compile_print(node, scope);
  if (is_operation(node)) return compile_operation(node, scope);
  if (begins_with(node, "lam") || begins_with(node, "single"))
    fail(node->at, "%s can only be bound by let, or be an argument", node->items[0]->word);
  return compile_application(node, scope);
}

static void define(struct node *node) {
  static const char expected[] = "(def NAME (ARGUMENT...) BODY) or (def NAME BODY)";
  if (!begins_with(node, "def") || node->count < 3 || node->count > 4)
    fail(node->at, "expected %s", expected);
  const char *name = name_of(node->items[1]);
  for (int i = 0; i < global_count; i++)
    if (globals[i].name == name) fail(node->at, "%s is defined twice", name);
  struct form *form = new_form(name, node->at);
  globals = grown(globals, global_count, sizeof *globals);
  globals[global_count++] = (struct global){name, static_object(THUNK, form), node};
}

static void load(void) {
  source = fopen(path, "r");
  if (!source) {
    fprintf(stderr, "lazy: %s cannot be read\n", path);
    exit(1);
  }
  for (int c; (c = skip_white()) != EOF;)
    define(read_node(c, 0));
  fclose(source);
  for (int i = 0; i < global_count; i++) {
    struct node *node = globals[i].definition;
    struct form *form = (struct form *)globals[i].object->info;
    compile_form(form, node->count == 4 ? node->items[2] : NULL, node->items[node->count - 1],
                 NULL);
    if (form->arity) globals[i].object->kind = FUNCTION;
  }
}

/* ---- the machine ---- */

struct frame {
  enum { UPDATE, RESTORE, ARGUMENTS, ALTERNATIVES } kind;
  int count, base, floor; /* of arguments that wait; of the activation that goes on */
  struct object *thunk;
  const struct expression *examined; /* or what applies the arguments */
  uint32_t centre;                   // HOST: to be restored
};

static struct frame frames[FRAMES];
static value slots[SLOTS], waiting[SLOTS], arguments[2 * ARGUMENTS_MOST], result;
static int depth, waiting_count, argument_count;
static int base, end; /* slots of the activation */
static int room;      /* where the next activation's begin: the ones below are still in use */
static const struct expression *now;
static int is_lexical;                 // HOST
static volatile ascribe_point running; // HOST: the expression that is evaluated
static uint64_t steps;                 // HOST
static ascribe_cost_centre collector;  // HOST
static FILE *trace;                    /* see below */
static void trace_step(const char *step, const char *name);
extern const char __start_lazy_loop[], __stop_lazy_loop[];   // HOST: made by the linker
#define LOOP __attribute__((noinline, section("lazy_loop"))) // HOST: its time is the program's

static int is_pointer(value v) {
  return v && !(v & 1);
}

/* ---- memory: two halves, and a copying collector (Cheney) ---- */

static char *heap, *heap_next, *heap_end;
static size_t heap_most = (size_t)1 << 30;
static const size_t heap_least = (size_t)4 << 20;

static value moved(value v) {
  while (is_pointer(v) && ((struct object *)v)->kind == INDIRECTION)
    v = ((struct object *)v)->fields[0];
  struct object *object = (struct object *)v;
  if (!is_pointer(v) || (char *)v < heap || (char *)v >= heap_end) return v;
  if (object->kind == MOVED) return object->fields[0];
  struct object *copy = (struct object *)heap_next;
  size_t bytes = bytes_of(object->count);
  memcpy(copy, object, bytes);
  heap_next += bytes;
  ascribe_census_add(closures[copy->closure].closure, copy->centre); // HOST: it is live
  object->kind = MOVED;
  return object->fields[0] = (value)copy;
}

static void move_all(value *values, int count) {
  for (int i = 0; i < count; i++)
    values[i] = moved(values[i]);
}

static void move_fields(struct object *object) {
  move_all(object->fields, object->kind == INDIRECTION ? 1 : object->count);
}

static void copy_live(char *start) {
  move_all(slots, end > room ? end : room);
  move_all(waiting, waiting_count);
  move_all(arguments, argument_count);
  result = moved(result);
  for (int i = 0; i < depth; i++)
    if (frames[i].kind == UPDATE) frames[i].thunk = (struct object *)moved((value)frames[i].thunk);
  for (int i = 0; i < global_count; i++)
    move_fields(globals[i].object);
  for (char *at = start; at < heap_next; at += bytes_of(((struct object *)at)->count))
    move_fields((struct object *)at);
}

static void collect(size_t needed) {
  uint32_t interrupted = ascribe_built(); // HOST
  ascribe_restore(0);                     // HOST: its time is its own
  ascribe_scc(collector);                 // HOST
  size_t used = (size_t)(heap_next - heap), most = 3 * used + heap_least + needed;
  char *old = heap, *made = malloc(most);
  if (!made) fail(now->at, "heap exhausted");
  heap_next = made;
  ascribe_census_begin(); // HOST
  copy_live(made);
  ascribe_census_end(); // HOST
  free(old);
  size_t live = (size_t)(heap_next - made), size = 3 * live + needed;
  if (live + needed > heap_most) fail(now->at, "heap exhausted: %zu bytes are live", live);
  heap = made;
  heap_end = heap + (size < heap_least ? heap_least : size);
  if (heap_end > heap + most) heap_end = heap + most;
  ascribe_restore(interrupted); // HOST
}

/* Values that are not in the machine's own variables may move. */
static void reserve(size_t bytes) {
  if (!heap || (size_t)(heap_end - heap_next) < bytes) collect(bytes);
}

/* An object in room that was reserved before. */
static struct object *build(int kind, int count, const void *info, uint32_t closure) {
  struct object *object = (struct object *)heap_next;
  heap_next += bytes_of(count);
  object->kind = kind;
  object->count = count;
  object->closure = closure;                                     // HOST
  object->centre = ascribe_allocated(closures[closure].closure); // HOST: (3)
  object->info = info;
  return object;
}

/* ---- steps ---- */

enum next { EVALUATE, APPLY, REPLY, END };

static value value_of(struct atom atom) {
  return atom.is_local ? slots[base + atom.value] : atom.value;
}

static struct frame *push(int kind) {
  if (depth == FRAMES) fail(now->at, "stack exhausted");
  struct frame *frame = &frames[depth++];
  frame->kind = kind;
  return frame;
}

/* The closure's arguments are in `arguments`. */
LOOP static void activate(const struct object *closure) {
  const struct form *form = closure->info;
  if (room + form->slots > SLOTS) fail(now->at, "stack exhausted");
  base = room;
  end = base + form->slots;
  memcpy(slots + base, arguments, (size_t)form->arity * sizeof *slots);
  memset(slots + base + form->arity, 0, (size_t)(form->slots - form->arity) * sizeof *slots);
  for (int i = 0; i < form->captured; i++)
    slots[base + form->captured_slots[i]] = closure->fields[i];
  now = form->body;
}

static const char *kind_name(value v) {
  static const char *const names[] = {"a function", "a thunk", "data", "a partial application"};
  return v & 1 ? "a number" : names[((struct object *)v)->kind];
}

/* Arguments from `first` on wait until the rest is evaluated. */
static void wait_with(int first) {
  struct frame *frame = push(ARGUMENTS);
  frame->count = argument_count - first;
  frame->examined = now;
  if (is_lexical) frame->centre = ascribe_built(); // HOST
  if (waiting_count + frame->count > SLOTS) fail(now->at, "stack exhausted");
  memcpy(waiting + waiting_count, arguments + first, (size_t)frame->count * sizeof *waiting);
  waiting_count += frame->count;
  argument_count = first;
}

LOOP static enum next enter_thunk(struct object *thunk) {
  const struct form *form = thunk->info;
  if (argument_count) wait_with(0);
  struct frame *frame = push(form->flag == UPDATABLE ? UPDATE : RESTORE);
  frame->thunk = thunk;
  frame->centre = ascribe_enter_thunk(thunk->centre); // HOST: (15), (15')
  if (trace) trace_step("thunk", form->name);
  activate(thunk);
  if (form->flag == UPDATABLE) {
    thunk->kind = ENTERED;
    thunk->count = 0;
  }
  return EVALUATE;
}

static uint32_t partials[2 * ARGUMENTS_MOST + 1]; // HOST: by arguments

/* Static closures are no closures that were built. */
static int is_built(const struct object *object) {
  return (char *)object >= heap && (char *)object < heap_end;
}

/* Too few arguments: the rest may come later. */
LOOP static enum next keep_arguments(const struct form *form) {
  reserve(bytes_of(argument_count + 1));
  uint32_t closure = partials[argument_count]; // HOST
  struct object *partial = build(PARTIAL, argument_count + 1, form, closure);
  partial->fields[0] = result;
  memcpy(partial->fields + 1, arguments, (size_t)argument_count * sizeof *arguments);
  argument_count = 0;
  result = (value)partial;
  return REPLY;
}

/* `result` is the function; `partial`: it comes from there, or null. */
LOOP static enum next call(const struct object *partial) {
  const struct object *function = (const struct object *)result;
  const struct form *form = function->info;
  if (argument_count < form->arity) return keep_arguments(form);
  if (argument_count > form->arity) wait_with(form->arity);
  if (partial) ascribe_call_built(partial->centre);             // HOST: (2), or lexical
  if (is_built(function)) ascribe_call_built(function->centre); // HOST
  argument_count = 0;
  activate(function);
  return EVALUATE;
}

LOOP static enum next call_partial(const struct object *partial) {
  int before = partial->count - 1;
  if (argument_count + before > 2 * ARGUMENTS_MOST) fail(now->at, "too many arguments");
  memmove(arguments + before, arguments, (size_t)argument_count * sizeof *arguments);
  memcpy(arguments, partial->fields + 1, (size_t)before * sizeof *arguments);
  argument_count += before;
  result = partial->fields[0];
  return call(partial);
}

/* `result` to `arguments`. */
LOOP static enum next apply(void) {
  while (is_pointer(result) && ((struct object *)result)->kind == INDIRECTION)
    result = ((struct object *)result)->fields[0];
  struct object *object = (struct object *)result;
  if (is_pointer(result) && object->kind == THUNK) return enter_thunk(object);
  if (is_pointer(result) && object->kind == ENTERED) fail(now->at, "<<loop>>");
  if (!argument_count) return REPLY; /* (2) */
  if (!is_pointer(result) || object->kind == DATA)
    fail(now->at, "%s is applied to arguments", kind_name(result));
  return object->kind == PARTIAL ? call_partial(object) : call(NULL);
}

static int fits(const struct alternative *alternative) {
  if (alternative->by == ANYTHING) return 1;
  if (alternative->by == BY_NUMBER) return result == alternative->number;
  const struct object *object = (struct object *)result;
  return is_pointer(result) && object->kind == DATA && object->info == alternative->constructor &&
         object->count == alternative->count;
}

LOOP static enum next choose(const struct expression *examined) {
  for (int i = 0; i < examined->count; i++) {
    const struct alternative *alternative = &examined->alternatives[i];
    if (!fits(alternative)) continue;
    if (alternative->by == ANYTHING) slots[base + alternative->slots[0]] = result;
    for (int k = 0; k < alternative->count; k++)
      slots[base + alternative->slots[k]] = ((struct object *)result)->fields[k];
    now = alternative->result;
    return EVALUATE;
  }
  const struct object *object = (struct object *)result;
  fail(examined->at, "no alternative for %s",
       is_pointer(result) && object->kind == DATA ? (const char *)object->info : kind_name(result));
}

/* `result` to the frame. */
LOOP static enum next reply(void) {
  if (!depth) return END;
  struct frame *frame = &frames[--depth];
  switch (frame->kind) {
  case UPDATE:
    frame->thunk->kind = INDIRECTION;
    frame->thunk->fields[0] = result;
    frame->thunk->centre = ascribe_update(frame->centre); // HOST: (16), (17a)
    if (trace) trace_step("update", "");
    return REPLY;
  case RESTORE:
    ascribe_restore(frame->centre); // HOST: (16'), (17a')
    if (trace) trace_step("restore", "");
    return REPLY;
  case ARGUMENTS:
    if (is_lexical) ascribe_restore(frame->centre); // HOST
    now = frame->examined;
    argument_count = frame->count;
    waiting_count -= frame->count;
    memcpy(arguments, waiting + waiting_count, (size_t)argument_count * sizeof *arguments);
    return APPLY;
  case ALTERNATIVES:
    break;
  }
  if (is_lexical) ascribe_restore(frame->centre); // HOST
  base = frame->base;
  end = room;
  room = frame->floor;
  now = frame->examined;
  return choose(frame->examined);
}

static intptr_t operand(const struct expression *expression, int which) {
  value v = value_of(expression->arguments[which]);
  if (!(v & 1)) fail(expression->at, "%s of %s", expression->name, kind_name(v));
  return v >> 1;
}

static value truth(int holds) {
  static value values[2];
  if (!values[holds]) values[holds] = without_fields(interned(holds ? "True" : "False"));
  return values[holds];
}

LOOP static value operate(const struct expression *e) {
  intptr_t a = operand(e, 0), b = operand(e, 1);
  uintptr_t c = 0;
  switch (e->name[0]) {
  case '>':
    return truth(a > b);
  case '=':
    return truth(a == b);
  case '+':
    c = (uintptr_t)a + (uintptr_t)b;
    break;
  case '-':
    c = (uintptr_t)a - (uintptr_t)b;
    break;
  case '*':
    c = (uintptr_t)a * (uintptr_t)b;
    break;
  default:
    if (!b) fail(e->at, "%s by 0", e->name);
    c = (uintptr_t)(e->name[0] == 'd' ? a / b : a % b);
  }
  return (value)(c << 1 | 1);
}

LOOP static void build_forms(const struct expression *let) {
  size_t bytes = 0;
  for (int i = 0; i < let->count; i++)
    bytes += bytes_of(let->forms[i]->captured);
  reserve(bytes);
  for (int i = 0; i < let->count; i++) {
    const struct form *form = let->forms[i];
    int kind = form->flag == CONSTRUCTOR ? DATA : form->arity ? FUNCTION : THUNK;
    const void *info = kind == DATA ? (const void *)form->name : form;
    slots[base + let->slots[i]] = (value)build(kind, form->captured, info, form->closure);
  }
  for (int i = 0; i < let->count; i++) {
    struct object *object = (struct object *)slots[base + let->slots[i]];
    for (int k = 0; k < object->count; k++)
      object->fields[k] = value_of(let->forms[i]->captures[k]);
  }
}

LOOP static void construct(const struct expression *construction) {
  reserve(bytes_of(construction->count));
  struct object *object =
      build(DATA, construction->count, construction->name, construction->closure);
  for (int i = 0; i < object->count; i++)
    object->fields[i] = value_of(construction->arguments[i]);
  result = (value)object;
}

LOOP static enum next evaluate(void) {
  struct frame *frame;
  steps++;              // HOST
  running = now->place; // HOST
  switch (now->kind) {
  case APPLICATION:
    result = value_of(now->head);
    argument_count = now->count;
    for (int i = 0; i < argument_count; i++)
      arguments[i] = value_of(now->arguments[i]);
    return APPLY;
  case CONSTRUCTION:
    construct(now);
    return REPLY;
  case LET:
    build_forms(now);
    now = now->second;
    return EVALUATE;
  case CASE:
    frame = push(ALTERNATIVES);
    frame->examined = now;
    frame->base = base;
    frame->floor = room;
    if (is_lexical) frame->centre = ascribe_built(); // HOST
    room = end;
    now = now->first;
    return EVALUATE;
  case SCC:
    frame = push(RESTORE);
    frame->centre = ascribe_scc(now->centre); // HOST
    if (trace) trace_step("scc", now->name);
    now = now->second;
    return EVALUATE;
  case OPERATION:
    result = operate(now);
    return REPLY;
  case PRINT:
    if (!(value_of(now->head) & 1)) fail(now->at, "print of %s", kind_name(value_of(now->head)));
    printf("%" PRIdPTR "\n", value_of(now->head) >> 1);
    now = now->second;
    return EVALUATE;
  }
  return END;
}

LOOP static void run(void) {
  for (enum next next = APPLY; next != END;)
    next = next == EVALUATE ? evaluate() : next == APPLY ? apply() : reply();
}

/* ---- what a test compares: the centre after each step, and the closures that are left ---- */

static struct {
  uint32_t number;
  const char *label;
} known[4096];
static int known_count;

static const char *label_of(uint32_t number) {
  for (int i = 0; i < known_count; i++)
    if (known[i].number == number) return known[i].label;
  return "-";
}

static void trace_step(const char *step, const char *name) {
  uint32_t centre = ascribe_built();
  int is_new = strcmp(step, "scc") == 0 && strcmp(label_of(centre), "-") == 0;
  if (is_new && known_count < (int)(sizeof known / sizeof *known)) {
    known[known_count].number = centre;
    known[known_count++].label = name;
  }
  fprintf(trace, "%s %s %s\n", step, name, label_of(centre));
}

/* Keeps what the top level still refers to when the program has ended. */
static void end_heap(void) {
  end = room = 0;
  collect(0);
}

static void print_closures(void) {
  static const char *const kinds[] = {"function", "thunk", "data", "partial", "entered"};
  end_heap();
  for (char *at = heap; at < heap_next; at += bytes_of(((struct object *)at)->count)) {
    const struct object *object = (struct object *)at;
    const struct form *form = object->info;
    const char *described = object->kind == DATA      ? (const char *)object->info
                            : object->kind == PARTIAL ? "PAP"
                                                      : form->description;
    fprintf(trace, "closure %s %s %s\n", kinds[object->kind], described, label_of(object->centre));
  }
}

/* ---- */

static void describe(void) { // HOST, to the end of the function
  int is_recorded = ascribe_host_begin();
  for (int i = 0; i <= 2 * ARGUMENTS_MOST; i++)
    partials[i] = define_closure(ASCRIBE_PARTIAL_APPLICATION, "PAP", i + 1);
  if (!is_recorded) return;
  char *absolute = realpath(path, NULL);
  world = ascribe_host_world(path);
  file = ascribe_host_file(world, absolute ? absolute : path);
  free(absolute);
  collector = ascribe_host_centre("(collector)", "lazy", "", 0);
  ascribe_host_functions(is_lexical ? ASCRIBE_LEXICAL : ASCRIBE_BY_CALLER);
  ascribe_host_running(&running);
  ascribe_host_own_code(__start_lazy_loop, __stop_lazy_loop);
  ascribe_host_clock(&steps, "steps");
}

static int read_options(int count, char **words) {
  int i = 1;
  for (; i < count && words[i][0] == '-'; i++) {
    if (strcmp(words[i], "--lexical") == 0) {
      is_lexical = 1;
    } else if (strcmp(words[i], "--trace") == 0 && i + 1 < count) {
      if (!(trace = fopen(words[++i], "w"))) return 0;
    } else if (strcmp(words[i], "--heap") == 0 && i + 1 < count) {
      heap_most = (size_t)strtoul(words[++i], NULL, 10) << 20;
    } else {
      return 0;
    }
  }
  return i == count - 1 ? i : 0;
}

int main(int count, char **words) {
  int program = read_options(count, words);
  if (!program) {
    fputs("usage: lazy [--lexical] [--heap MB] [--trace FILE] PROGRAM.stg\n", stderr);
    return 2;
  }
  path = words[program];
  describe(); // HOST
  load();
  for (int i = 0; i < global_count; i++)
    if (strcmp(globals[i].name, "main") == 0) result = (value)globals[i].object;
  if (!result) fail((struct position){1, 1}, "main is not defined");
  now = ((const struct form *)((struct object *)result)->info)->body;
  run();
  if (trace)
    print_closures();
  else if (ascribe_host_recorded())
    end_heap(); // HOST
  return fflush(stdout) || (trace && fclose(trace)) ? 1 : 0;
}
