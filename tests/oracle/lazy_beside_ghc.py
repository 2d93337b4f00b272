#!/usr/bin/env python3
"""Thirteen small programs for GHC (-O0 -prof) and for examples/lazy (lexical rule): they print the same, each cost
centre is entered as often, and the closures that each allocates take as many bytes in GHC's sizes, but for 0.2 % or
200 bytes.  Programs that compute with GHC's boxed numbers are compared by entries alone.  Skipped without ghc."""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, Profile, check, must, run

DIRECTORY = harness.scratch("lazy_beside_ghc")
EXAMPLE = harness.SOURCE / "examples/lazy"

HASKELL = """module Main (main) where
import Prelude hiding (filter, map, reverse, sum)
import System.Environment (getArgs)
data L a = Nil | Cons a (L a)
data N = Z | S N
data T = Leaf | Node T N T
append :: L a -> L a -> L a
append a b = case a of { Nil -> b; Cons x xs -> Cons x (append xs b) }
reverse :: L a -> L a -> L a
reverse a l = case l of { Nil -> a; Cons x xs -> reverse (Cons x a) xs }
map :: (a -> b) -> L a -> L b
map f l = case l of { Nil -> Nil; Cons x xs -> Cons (f x) (map f xs) }
filter :: (a -> Bool) -> L a -> L a
filter p l = case l of { Nil -> Nil; Cons x xs -> case p x of { True -> Cons x (filter p xs); False -> filter p xs } }
add :: N -> N -> N
add a b = case a of { Z -> b; S m -> S (add m b) }
mul :: N -> N -> N
mul a b = case a of { Z -> Z; S m -> add b (mul m b) }
upto :: N -> L N
upto n = case n of { Z -> Nil; S m -> Cons n (upto m) }
less :: N -> N -> Bool
less a b = case b of { Z -> False; S n -> case a of { Z -> True; S m -> less m n } }
isEven :: N -> Bool
isEven n = case n of { Z -> True; S m -> case isEven m of { True -> False; False -> True } }
insert :: N -> T -> T
insert x t = case t of { Leaf -> Node Leaf x Leaf; Node l y r -> case less x y of { True -> Node (insert x l) y r; False -> Node l y (insert x r) } }
build :: L N -> T
build l = case l of { Nil -> Leaf; Cons x xs -> insert x (build xs) }
flatten :: T -> L N -> L N
flatten t a = case t of { Leaf -> a; Node l x r -> flatten l (Cons x (flatten r a)) }
subsets :: L a -> L (L a)
subsets l = case l of { Nil -> Cons Nil Nil; Cons x xs -> case subsets xs of { s -> append (map (Cons x) s) s } }
compose :: (b -> c) -> (a -> b) -> a -> c
compose f g x = f (g x)
twice :: (a -> a) -> a -> a
twice f x = f (f x)
count :: Int -> L a -> Int
count n l = case l of { Nil -> n; Cons _ xs -> case n + 1 of { m -> m `seq` count m xs } }
number :: Int -> N -> Int
number n l = case l of { Z -> n; S k -> case n + 1 of { m -> m `seq` number m k } }
every :: Int -> L N -> Int
every n l = case l of { Nil -> n; Cons x xs -> case number n x of { m -> m `seq` every m xs } }
counts :: Int -> L (L a) -> Int
counts n l = case l of { Nil -> n; Cons x xs -> case count n x of { m -> m `seq` counts m xs } }
five :: N
five = S (S (S (S (S Z))))
hundred :: N
hundred = mul (add five five) (add five five)
row :: N -> L N
row n = {-# SCC row #-} (map (add n) (upto n))
partial :: N -> N -> N
partial n = {-# SCC partial #-} (compose (add n) (mul n))
returned :: N -> N -> N
returned x = {-# SCC returned #-} (let { g y = case mul y hundred of { z -> add x z } } in g)
down :: N -> L N
down n = case n of { Z -> Nil; S m -> Cons n ({-# SCC down #-} (down m)) }
from :: Int -> L Int
from n = Cons n (from (n + 1))
notdiv :: Int -> Int -> Bool
notdiv p x = case x `mod` p == 0 of { True -> False; False -> True }
ints :: (Int -> Bool) -> L Int -> L Int
ints p l = case l of { Nil -> Nil; Cons x xs -> case p x of { True -> Cons x (ints p xs); False -> ints p xs } }
sieve :: L Int -> L Int
sieve l = case l of { Nil -> Nil; Cons p xs -> Cons p (sieve ({-# SCC divides #-} (ints (notdiv p) xs))) }
nth :: Int -> L Int -> Int
nth n l = case l of { Nil -> 0; Cons x xs -> case n of { 0 -> x; m -> nth (m - 1) xs } }
digits :: Int -> Int
digits n = case 10 > n of { True -> 1; False -> 1 + ({-# SCC digits #-} (digits (n `div` 10))) }
main :: IO ()
main = getArgs >>= \\a -> case a of
  ["nested"] -> print (every 0 ({-# SCC foo #-} (map (add five) ({-# SCC bar #-} (map (mul five) (upto hundred))))))
  ["arguments"] -> let { b = {-# SCC builder #-} (map (add five) (upto hundred)) } in print (every 0 ({-# SCC user #-} (append b b)))
  ["instances"] -> print (counts 0 (map row (upto hundred)))
  ["returned"] -> let { h = returned five } in print (number 0 (h five)) >> print (number 0 (h hundred))
  ["partial"] -> let { h = partial five } in print (number 0 (h five)) >> print (number 0 (h hundred))
  ["shared"] -> let { s = {-# SCC once #-} (map (mul five) (upto hundred)) } in print (every 0 ({-# SCC first #-} (filter isEven s))) >> print (every 0 ({-# SCC second #-} (reverse Nil s)))
  ["tree"] -> print (every 0 ({-# SCC flatten #-} (flatten ({-# SCC build #-} (build (append (upto five) (upto hundred)))) Nil)))
  ["reverse"] -> print (every 0 ({-# SCC outer #-} (reverse Nil ({-# SCC inner #-} (reverse Nil (upto hundred))))))
  ["subsets"] -> print (counts 0 ({-# SCC subsets #-} (subsets (upto (add five five)))))
  ["never"] -> let { l = Cons ({-# SCC never #-} (mul hundred hundred)) ({-# SCC spine #-} (upto hundred)) } in print (count 0 l)
  ["recursive"] -> print (count 0 ({-# SCC start #-} (down hundred)))
  ["sieve"] -> print ({-# SCC nth #-} (nth 100 ({-# SCC sieve #-} (sieve ({-# SCC from #-} (from 2))))))
  _ -> print ({-# SCC sum #-} (digits 1234567 + digits 89))
"""

CORE = """
(def append (a b) (case a (Nil b) ((Cons x xs) (Cons x (append xs b)))))
(def reverse (a l) (case l (Nil a) ((Cons x xs) (reverse (Cons x a) xs))))
(def map (f l) (case l (Nil Nil) ((Cons x xs) (Cons (f x) (map f xs)))))
(def filter (p l) (case l (Nil Nil) ((Cons x xs) (case (p x) (True (Cons x (filter p xs))) (False (filter p xs))))))
(def add (a b) (case a (Z b) ((S m) (S (add m b)))))
(def mul (a b) (case a (Z Z) ((S m) (add b (mul m b)))))
(def upto (n) (case n (Z Nil) ((S m) (Cons n (upto m)))))
(def less (a b) (case b (Z False) ((S n) (case a (Z True) ((S m) (less m n))))))
(def isEven (n) (case n (Z True) ((S m) (case (isEven m) (True False) (False True)))))
(def insert (x t) (case t (Leaf (Node Leaf x Leaf))
  ((Node l y r) (case (less x y) (True (Node (insert x l) y r)) (False (Node l y (insert x r)))))))
(def build (l) (case l (Nil Leaf) ((Cons x xs) (insert x (build xs)))))
(def flatten (t a) (case t (Leaf a) ((Node l x r) (let ((f (flatten r a))) (flatten l (Cons x f))))))
(def subsets (l) (case l (Nil (Cons Nil Nil)) ((Cons x xs) (let ((s (subsets xs))) (append (map (lam (l) (Cons x l)) s) s)))))
(def compose (f g x) (f (g x)))
(def count (n l) (case l (Nil n) ((Cons x xs) (case (+ n 1) (m (count m xs))))))
(def number (n l) (case l (Z n) ((S k) (case (+ n 1) (m (number m k))))))
(def every (n l) (case l (Nil n) ((Cons x xs) (case (number n x) (m (every m xs))))))
(def counts (n l) (case l (Nil n) ((Cons x xs) (case (count n x) (m (counts m xs))))))
(def five (S (S (S (S (S Z))))))
(def hundred (mul (add five five) (add five five)))
(def row (n) (scc row (map (add n) (upto n))))
(def partial (n) (scc partial (compose (add n) (mul n))))
(def returned (x) (scc returned (let ((g (lam (y) (let ((z (mul y hundred))) (add x z))))) g)))
(def down (n) (case n (Z Nil) ((S m) (Cons n (scc down (down m))))))
(def from (n) (Cons n (from (+ n 1))))
(def notdiv (p x) (case (== (mod x p) 0) (True False) (False True)))
(def sieve (l) (case l (Nil Nil) ((Cons p xs) (Cons p (sieve (scc divides (filter (notdiv p) xs)))))))
(def nth (n l) (case l (Nil 0) ((Cons x xs) (case n (0 x) (m (nth (- m 1) xs))))))
(def digits (n) (case (> 10 n) (True 1) (False (+ 1 (scc digits (digits (div n 10)))))))
"""
PROGRAMS = {
    "nested": "(print (every 0 (scc foo (map (add five) (scc bar (map (mul five) (upto hundred)))))) Unit)",
    "arguments": "(let ((b (scc builder (map (add five) (upto hundred))))) (print (every 0 (scc user (append b b))) Unit))",
    "instances": "(print (counts 0 (map row (upto hundred))) Unit)",
    "returned": "(let ((h (returned five))) (print (number 0 (h five)) (print (number 0 (h hundred)) Unit)))",
    "partial": "(let ((h (partial five))) (print (number 0 (h five)) (print (number 0 (h hundred)) Unit)))",
    "shared": "(let ((s (scc once (map (mul five) (upto hundred)))))"
              " (print (every 0 (scc first (filter isEven s))) (print (every 0 (scc second (reverse Nil s))) Unit)))",
    "tree": "(print (every 0 (scc flatten (flatten (scc build (build (append (upto five) (upto hundred)))) Nil))) Unit)",
    "reverse": "(print (every 0 (scc outer (reverse Nil (scc inner (reverse Nil (upto hundred)))))) Unit)",
    "subsets": "(print (counts 0 (scc subsets (subsets (upto (add five five))))) Unit)",
    "never": "(let ((n (scc never (mul hundred hundred))) (s (scc spine (upto hundred)))) (print (count 0 (Cons n s)) Unit))",
    "recursive": "(print (count 0 (scc start (down hundred))) Unit)",
    "sieve": "(print (scc nth (nth 100 (scc sieve (sieve (scc from (from 2)))))) Unit)",
    "digits": "(print (scc sum (+ (digits 1234567) (digits 89))) Unit)",
}
OF_NUMBERS = {"sieve", "digits"}
WORDS = {"constructor": 1, "function": 1, "thunk": 2, "partial application": 2}  # of a header in GHC, which has no more


def build():
    """False: there is no GHC that profiles."""
    must(["gcc", "-O2", "-I", harness.SOURCE / "include", EXAMPLE / "lazy.c", "-o", DIRECTORY / "lazy"])
    if not shutil.which("ghc"): return False
    (DIRECTORY / "Main.hs").write_text(HASKELL)
    built = run(["ghc", "-v0", "-prof", "-fno-prof-auto", "-O0", "-outputdir", DIRECTORY, "-o", DIRECTORY / "haskell", DIRECTORY / "Main.hs"])
    check(built.status == 0 or "rofiling libraries" in built.errors, built.errors)
    return built.status == 0


def by_ghc(name):
    """What it printed; label to entries and bytes."""
    said = must([DIRECTORY / "haskell", name, "+RTS", "-pj", "-RTS"], directory=DIRECTORY).output
    profile = json.loads((DIRECTORY / "haskell.prof").read_text())
    labels = {centre["id"]: centre["label"] for centre in profile["cost_centres"] if centre["module"] == "Main" and not centre["is_caf"]}
    found, waiting = {}, [profile["profile"]]
    while waiting:
        stack = waiting.pop()
        waiting += stack["children"]
        label = labels.get(stack["id"])
        if label is None: continue
        entries, amount = found.get(label, (0, 0))
        found[label] = entries + stack["entries"], amount + stack["alloc"]
    return said, found


def by_machine(name):
    source, path = DIRECTORY / f"{name}.stg", DIRECTORY / f"{name}.ascribe"
    source.write_text(f"{CORE}(def main {PROGRAMS[name]})\n")
    said = must([ASCRIBE, "record", "-q", "-o", path, "--", DIRECTORY / "lazy", "--lexical", source]).output
    profile = Profile(path)
    found = {label: (entries, 0) for label, entries in profile.rows(
        "select name, sum(entries) from cost_centres where name <> '(collector)' group by 1")}
    for label, kind, size, count in profile.rows("select centre_name, kind, bytes, closures from closures where centre is not null"):
        entries, amount = found.get(label, (0, 0))
        found[label] = entries, amount + 8 * (WORDS[kind] + (size - 24) // 8) * count
    return said, found


def compare(name):
    said, expected = by_ghc(name)
    printed, found = by_machine(name)
    check(printed == said, f"printed {printed}, GHC's program {said}")
    expected = {label: of for label, of in expected.items() if any(of)}
    check({label: of[0] for label, of in found.items()} == {label: of[0] for label, of in expected.items()},
          f"{name}: entries and bytes {found}, GHC's {expected}")
    for label, (_, amount) in expected.items():
        if name not in OF_NUMBERS:
            check(abs(found[label][1] - amount) <= max(200, 0.002 * amount), f"{name}, {label}: {found[label][1]} bytes, GHC's {amount}")


if __name__ == "__main__":
    if not build():
        print("there is no ghc with its libraries for -prof")
        sys.exit(harness.SKIP_STATUS)
    check(len(PROGRAMS) == 13, "thirteen programs")
    for program in PROGRAMS:
        compare(program)
