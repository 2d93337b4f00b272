-- The program of lazy_stream.c in Haskell. ghc -prof -fno-prof-auto -O1 lazy_stream.hs
module Main (main) where

-- Costs as many units of time.
work :: Int -> Int -> Int
work units = go (units * 20000)
  where
    go :: Int -> Int -> Int
    go 0 value = value
    go i value = go (i - 1) ((value * 1103515245 + 12345) `mod` 2147483648)
{-# NOINLINE work #-}

f :: Int -> Int
f x = {-# SCC "f" #-} work 2 x
{-# NOINLINE f #-}

builder :: Int -> [Int]
builder n = {-# SCC "builder" #-} map (work 4) [1 .. n]
{-# NOINLINE builder #-}

foo :: [Int] -> [Int]
foo l = {-# SCC "foo" #-} map f ({-# SCC "bar" #-} map (work 1) l)
{-# NOINLINE foo #-}

spine :: (Int -> Int) -> [Int] -> [Int]
spine g l = {-# SCC "spine" #-} map g l
{-# NOINLINE spine #-}

main :: IO ()
main = do
  let l = builder 1000
  print (sum (foo l))
  print (length (spine (\x -> {-# SCC "unread" #-} f x) l))
  print (sum (spine (\x -> {-# SCC "element" #-} f (work 3 x)) l))
  print (sum [sum (foo [i .. i + 9]) | i <- [0 .. 99]])
