module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM_)
import Data.IORef
import qualified Data.Map.Strict as Map
import Debug.Trace (traceMarkerIO)
import System.Mem (performMajorGC)

-- Phases that differ in what they hold and where time goes, with a mark before each.
table :: Int -> Map.Map Int String
table n = Map.fromList [(k, show k) | k <- [1 .. n]]
{-# NOINLINE table #-}

sums :: Int -> Integer
sums n = go 0 [1 .. n]
  where
    go total [] = total
    go total (k : ks) = go (total + toInteger k) ks
{-# NOINLINE sums #-}

größe :: Map.Map Int String -> Int
größe held = {-# SCC "all_lengths" #-} sum (map length (Map.elems held))
{-# NOINLINE größe #-}

main :: IO ()
main = do
  kept <- newIORef Map.empty
  forM_ [1 .. 4] $ \phase -> do
    traceMarkerIO ("table " ++ show (phase :: Int))
    held <- evaluate (table (1500 * phase))
    modifyIORef' kept (Map.unionWith (++) held)
    performMajorGC
  traceMarkerIO "sums"
  print (sums 200000)
  performMajorGC
  readIORef kept >>= print . größe
