// The plugin's entry: options, the pass and where it stands.
#include "instrument/gcc/contexts/context_hooks.h"
#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"
#include "instrument/gcc/target/assembly.h"

#include "context.h"
#include "diagnostic-core.h"
#include "plugin-version.h"
#include "tree-pass.h"

int plugin_is_GPL_compatible;

namespace ascribe {

options asked;

namespace {

// Calls add blocks, those through pointers in code with counters, too, and tracking variables takes
// time with the square of both.
enum { SITES_TRACKED = 300 };

bool needs_inert_definitions;
std::set<unsigned> untracked; // DECL_UIDs

const pass_data contexts_pass_data = {GIMPLE_PASS,
                                      "ascribe",
                                      OPTGROUP_NONE,
                                      TV_NONE,
                                      PROP_cfg | PROP_ssa,
                                      0,
                                      0,
                                      0,
                                      TODO_update_ssa | TODO_cleanup_cfg};

// Code with counters for shared libraries has no gate before it is taken over.
void prepare_early_calls(function *fun) {
  if (asked.counts && for_shared_library()) return;
  needs_inert_definitions = true;
  gimple_stmt_iterator at = gsi_after_labels(single_succ(ENTRY_BLOCK_PTR_FOR_FN(fun)));
  gsi_insert_before(&at, give_gate(), GSI_SAME_STMT);
}

// Sites and points are found first: the entry adds calls of its own.
void insert_contexts(function *fun) {
  size_t number = keep_function(fun);
  if (is_counted_leaf(fun->decl)) return;
  std::vector<call_site> sites = find_sites(fun);
  leave_out_returns(sites);
  points where = find_points(fun, sites);
  bool tests = !only_called_with_hooks(fun->decl);
  // It runs in whatever row its caller left to it, if that is its own.
  bool is_leaf = sites.empty() && where.comes_back.empty() && where.arrivals.empty() &&
                 where.throws_across.empty();
  bool stays_tagged = tests && !is_leaf && may_be_handler(fun->decl);
  keep_sites(number, sites, is_leaf || stays_tagged);
  if (is_leaf && !tests) return;
  tree own = insert_entry(fun, number, tests);
  if (is_leaf) return;
  if (sites.size() > SITES_TRACKED) untracked.insert(DECL_UID(fun->decl));
  tree rests = stays_tagged ? keep_tagged(own) : own;
  insert_sites(sites, own, rests, number);
  insert_exits(fun, where, own, rests, may_end_callers(fun->decl));
}

const pass_data centres_pass_data = {
    GIMPLE_PASS, "ascribe_centres", OPTGROUP_NONE, TV_NONE, PROP_gimple_any, 0, 0, 0, 0};

class centres_pass : public gimple_opt_pass {
public:
  explicit centres_pass(gcc::context *context) : gimple_opt_pass(centres_pass_data, context) {}
  bool gate(function *fun) override {
    return !asked.centres.empty() && !seen_error() && is_centre(fun->decl);
  }
  unsigned execute(function *fun) override {
    insert_centre(fun->decl);
    return 0;
  }
};

const pass_data source_pass_data = {
    SIMPLE_IPA_PASS, "ascribe_source", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class source_pass : public simple_ipa_opt_pass {
public:
  explicit source_pass(gcc::context *context) : simple_ipa_opt_pass(source_pass_data, context) {}
  bool gate(function *) override { return asked.expressions && !seen_error(); }
  unsigned execute(function *) override {
    count_source();
    return 0;
  }
};

class contexts_pass : public gimple_opt_pass {
public:
  explicit contexts_pass(gcc::context *context) : gimple_opt_pass(contexts_pass_data, context) {}

  unsigned execute(function *fun) override {
    if (resolver_calls_out(fun)) prepare_early_calls(fun);
    if (asked.expressions || !chosen(fun)) return 0;
    if (asked.report)
      inform(UNKNOWN_LOCATION, "ascribe: %s", IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fun->decl)));
    if (asked.counts) {
      if (counts_by_segment()) refuse_use_of_gs(fun);
      int blocks = n_basic_blocks_for_fn(fun);
      insert_counts(fun);
      if (n_basic_blocks_for_fn(fun) - blocks > SITES_TRACKED)
        untracked.insert(DECL_UID(fun->decl));
      return 0;
    }
    insert_contexts(fun);
    return 0;
  }
};

const pass_data discriminators_pass_data = {
    GIMPLE_PASS, "ascribe_discriminators", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

// Statements of one place are to have one location: that is how they are found again.
class discriminators_pass : public gimple_opt_pass {
public:
  explicit discriminators_pass(gcc::context *context)
      : gimple_opt_pass(discriminators_pass_data, context) {}
  bool gate(function *) override { return asked.expressions; }
  unsigned execute(function *fun) override {
    clear_discriminators(fun);
    return 0;
  }
};

std::vector<std::string> split_list(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    size_t end = text.find(',', start);
    if (end == std::string::npos) end = text.size();
    if (end > start) parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

bool read_option(const std::string &key, const std::string &value) {
  if (key == "only") {
    asked.only = split_list(value);
  } else if (key == "skip") {
    asked.skip = split_list(value);
  } else if (key == "centres") {
    asked.centres = split_list(value);
  } else if (key == "switchers") {
    for (const std::string &name : split_list(value))
      asked.switchers.insert(name);
  } else if (key == "leaf-statements") {
    asked.leaf_statements = strtoul(value.c_str(), nullptr, 10);
  } else if (key == "clock") {
    asked.clock = value == "tsc";
    return asked.clock || value == "cpu";
  } else if (key == "way") {
    asked.counts = value == "counts";
    return asked.counts || value == "contexts";
  } else if (key == "placement") {
    asked.all_counters = value == "all";
    return asked.all_counters || value == "few";
  } else if (key == "expressions") {
    asked.expressions = true;
  } else if (key == "without-gs") {
    asked.without_gs = true;
  } else if (key == "report") {
    asked.report = true;
  } else {
    return false;
  }
  return true;
}

void look_at_call_graph(void *, void *) {
  find_resolvers();
  if (asked.counts)
    find_callers();
  else
    find_entrances();
}

void finish_unit(void *, void *) {
  emit_callee_symbols();
  emit_rows();
  emit_descriptions();
  if (any_callee() || any_description() || needs_inert_definitions) emit_inert_definitions();
}

// When GCC makes blocks and optimises, it leaves out at once those that only jump: then lines of
// `break` and labels have no code, or that of what follows. It keeps them as long as it believes
// that it does not optimise.
void keep_jumps(void *pass, void *) {
  static int kept = -1;
  if (kept >= 0) optimize = kept;
  kept = -1;
  if (strcmp(static_cast<opt_pass *>(pass)->name, "cfg") != 0) return;
  kept = optimize;
  optimize = 0;
}

// Debuggers then know no variables that are in registers there.
void leave_untracked(void *pass, void *) {
  static int kept = -1;
  if (kept >= 0) flag_var_tracking = kept;
  kept = -1;
  if (strcmp(static_cast<opt_pass *>(pass)->name, "vartrack") != 0) return;
  if (!current_function_decl || !untracked.count(DECL_UID(current_function_decl))) return;
  kept = flag_var_tracking;
  flag_var_tracking = 0;
}

void start_unit(void *, void *) {
  if (asked.expressions && (flag_lto || in_lto_p))
    fatal_error(
        UNKNOWN_LOCATION,
        "ascribe: %<--expressions%> cannot be combined with %<-flto%>: compile and link with "
        "%<-fno-lto%>, or count calls only (without %<--expressions%>)");
}

} // namespace
} // namespace ascribe

int plugin_init(plugin_name_args *info, plugin_gcc_version *version) {
  using namespace ascribe;
  if (!plugin_default_version_check(version, &gcc_version)) {
    error("ascribe: this plugin was built for gcc %s, not for gcc %s", gcc_version.basever,
          version->basever);
    return 1;
  }
  asked.switchers = {"swapcontext", "jump_fcontext", "ontop_fcontext"};
  for (int i = 0; i < info->argc; i++) {
    const char *value = info->argv[i].value;
    if (!read_option(info->argv[i].key, value ? value : "")) {
      error("ascribe: unknown plugin option %qs", info->argv[i].key);
      return 1;
    }
  }
  // Before `resx`: present at every level, after tail calls were chosen, RESX still visible.
  static register_pass_info position = {new contexts_pass(g), "resx", 1, PASS_POS_INSERT_BEFORE};
  register_callback(info->base_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
                    const_cast<ggc_root_tab *>(contract_roots));
  register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &position);
  static register_pass_info divided = {new discriminators_pass(g), "cfg", 1, PASS_POS_INSERT_AFTER};
  register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &divided);
  static register_pass_info lowered = {new centres_pass(g), "lower", 1, PASS_POS_INSERT_BEFORE};
  register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &lowered);
  // The last place where nothing was inlined or optimised yet, and all functions are in SSA form.
  static register_pass_info early = {new source_pass(g), "opt_local_passes", 1,
                                     PASS_POS_INSERT_BEFORE};
  register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &early);
  register_callback(info->base_name, PLUGIN_START_UNIT, start_unit, nullptr);
  register_callback(info->base_name, PLUGIN_PASS_EXECUTION, leave_untracked, nullptr);
  register_callback(info->base_name, PLUGIN_PRE_GENERICIZE, note_allocations, nullptr);
  register_callback(info->base_name, PLUGIN_ALL_IPA_PASSES_START, add_allocation_types, nullptr);
  if (asked.expressions) {
    register_callback(info->base_name, PLUGIN_PRE_GENERICIZE, note_written_switches, nullptr);
    register_callback(info->base_name, PLUGIN_PASS_EXECUTION, keep_jumps, nullptr);
  }
  register_callback(info->base_name, PLUGIN_ALL_IPA_PASSES_END, look_at_call_graph, nullptr);
  register_callback(info->base_name, PLUGIN_FINISH_UNIT, finish_unit, nullptr);
  return 0;
}
