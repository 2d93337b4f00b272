-- Section 3 of Sansom and Peyton Jones 1992 for GHC (-prof -fno-prof-auto -O0), as section3.scm has it for Scheme.
-- Prints in which cost centre each part is evaluated, by GHC's own account of its current one.
module Main (main) where
import Data.IORef (IORef, modifyIORef, newIORef, readIORef)
import GHC.Stack (currentCallStack)
import System.IO.Unsafe (unsafePerformIO)

data Box = Box Int

seen :: IORef [(String, String)]
seen = unsafePerformIO (newIORef [])
{-# NOINLINE seen #-}

-- Of a stack, outermost first: "Main.foo (section3.hs:1:2-3)".
innermost :: [String] -> String
innermost [] = "none"
innermost stack = case drop 1 (dropWhile (/= '.') (takeWhile (/= ' ') (last stack))) of
  label | take 3 label == "CAF" || label == "MAIN" -> "none"
        | otherwise -> label

note :: String -> ()
note part = unsafePerformIO (do
  stack <- currentCallStack
  modifyIORef seen (\known -> let found = (part, innermost stack) in if found `elem` known then known else found : known))
{-# NOINLINE note #-}

upto :: Int -> Int -> [Int]
upto n m = if n > m then [] else n : upto (n + 1) m
streamMap :: String -> (a -> b) -> [a] -> [b]
streamMap part f l = note part `seq` case l of { [] -> []; x : xs -> f x : streamMap part f xs }
total :: Int -> [[Int]] -> Int
total a l = case l of { [] -> a; x : xs -> total (a + sum x) xs }
count :: String -> Int -> Int
count part n = note part `seq` if n == 0 then 0 else count part (n - 1)
times :: Int -> Int -> Int
times x y = note "element" `seq` (x * y)
use :: Int -> Int -> Int
use x y = note "user-body" `seq` (x + y)
row :: Int -> [Int]
row n = {-# SCC row #-} (streamMap "row-spine" (\y -> note "row-element" `seq` (n * y)) (upto 1 20))
lamf :: Int -> Int -> Int
lamf x = {-# SCC lamf #-} (let { g y = note "returned" `seq` (x + y) } in g)

main :: IO ()
main = do
  let demanded = {-# SCC foo #-} (streamMap "spine" (\y -> {-# SCC bar #-} (times 3 y)) (upto 1 1000))
      skipped = {-# SCC foo #-} (streamMap "spine" (\y -> {-# SCC never #-} (times 3 y)) (upto 1 1000))
      rows = streamMap "rows" row (upto 1 100)
      once = {-# SCC once #-} (count "once" 700)
  print (sum demanded, length skipped)
  case {-# SCC builder #-} (Box (count "argument" 300)) of
    Box x -> print ({-# SCC user #-} (use x ({-# SCC inner #-} (count "inner-argument" 100))))
  print (total 0 rows, total 0 rows)
  print (lamf 1 1)
  print (once + once)
  found <- readIORef seen
  mapM_ (\(part, centre) -> putStrLn (part ++ " " ++ centre)) found
