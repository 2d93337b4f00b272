/* Names of Haskell's symbols: what they decode to, what is none, and whose they are. */
#include "symbols/haskell_name.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static void names(const char *linkage, const char *expected) {
  char *name = haskell_name(linkage);
  if (expected)
    CHECK_TEXT(name, expected);
  else
    CHECK(!name);
  free(name);
}

int main(void) {
  names("Main_zdwsumTo_info", "Main.$wsumTo");
  names("base_GHCziBase_zpzp_info", "GHC.Base.++");
  names("ghczmprim_GHCziClasses_modIntzh_info", "GHC.Classes.modInt#");
  names("containerszm0zi6zi4zi1_DataziMapziInternal_zdwgo15_fast", "Data.Map.Internal.$wgo15");
  names("ZCMain_main_info", ":Main.main");
  names("Main_a_s2S2_info", "Main.a_s2S2");
  names("ghczmprim_GHCziTuple_Z2T_con_info", "GHC.Tuple.(,) (constructor)");
  names("ghczmprim_GHCziPrim_Z3H_con_info", "GHC.Prim.(#,,#) (constructor)");
  names("base_GHCziBase_ZMZN_con_info", "GHC.Base.[] (constructor)");
  names("Main_grzz0f6zz_info", "Main.grz0f6z");
  names("Main_summezugrzf6zzdfeU_info", NULL);
  names("Main_grzf6Uzdfe_info", NULL); /* a letter needs a 0 before it */
  names("Main_grz0f6Uz0dfUe_info", "Main.gr\303\266\303\237e");
  names("Main_z0d800U_info", NULL);
  names("Main_z110000U_info", NULL);
  names("Main_z0U_info", NULL);
  names("Main_x_closure", NULL);
  names("Main_info", NULL);
  names("main_x_info", NULL);
  names("Main__info", NULL);
  names("a_B_c_d_e_info", NULL);
  names("Main_Z9_info", NULL);
  names("Main_Zx_info", NULL);
  names("Main_xz_info", NULL);
  names("_ZN3foo3barEv", NULL);
  names("stg_ap_p_fast", NULL);
  CHECK(haskell_is_of_program("Main_zdwsumTo_info"));
  CHECK(haskell_is_of_program("shapeszm0zi1zminplace_Shapes_area_info"));
  CHECK(!haskell_is_of_program("base_GHCziBase_zpzp_info"));
  CHECK(!haskell_is_of_program("ZCMain_main_info"));
  CHECK(!haskell_is_of_program("GarbageCollect"));
  CHECK(haskell_runs("stg_ap_p_fast") && haskell_runs("Main_main_info"));
  CHECK(!haskell_runs("main"));
  CHECK_EQUAL(haskell_module_length("base_GHCziBase_zpzp_info"), strlen("base_GHCziBase"));
  CHECK_EQUAL(haskell_module_length("evacuate"), 0);
  return check_result();
}
