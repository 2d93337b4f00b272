{-# LANGUAGE UnicodeSyntax #-}
module Main (main) where

import qualified Data.Map.Strict as Map
import Data.List (foldl')

-- Mutual recursion, names in unicode, operators, a label with blanks, a constant.
isEven, isOdd :: Int -> Bool
isEven 0 = True
isEven n = isOdd (n - 1)
isOdd 0 = False
isOdd n = isEven (n - 1)
{-# NOINLINE isEven #-}
{-# NOINLINE isOdd #-}

summe_größer :: Int -> Int
summe_größer n = foldl' (+) 0 [1 .. n]

(<+>) :: Int -> Int -> Int
a <+> b = length (show (a * b))

primes :: [Int]
primes = sieve [2 ..] where sieve (p : xs) = p : sieve [x | x <- xs, x `mod` p /= 0]

fib :: Int -> Integer
fib n = if n < 2 then 1 else fib (n - 1) + fib (n - 2)

table :: Int -> Map.Map Int String
table n = {-# SCC "build_table" #-} foldl' (\m k -> Map.insert k (show k) m) Map.empty [1 .. n]

main :: IO ()
main = do
  print (fib 23)
  print (isEven 300000)
  print (summe_größer 2000000)
  print (sum [a <+> 7 | a <- [1 .. 20000]])
  print (primes !! 900)
  let t = table 40000
  print (Map.size t)
  print (length (concat (Map.elems t)))
