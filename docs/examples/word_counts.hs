-- A list that is held: count keeps all words until the last one. ghc -prof -fprof-auto word_counts.hs
module Main (main) where
import qualified Data.Map.Strict as Map
import Data.Char (isAlpha, toLower)
import Data.List (sortBy)

wordsOf :: String -> [String]
wordsOf = filter (not . null) . map (map toLower . filter isAlpha) . words

count :: [String] -> Map.Map String Int
count = foldr (\word -> Map.insertWith (+) word 1) Map.empty

top :: Int -> Map.Map String Int -> [(String, Int)]
top n = take n . sortBy (\a b -> compare (snd b) (snd a)) . Map.toList

text :: Int -> String
text n = unwords [show (k * k `mod` 977) ++ name k | k <- [1 .. n]]
  where name k = "word" ++ replicate (k `mod` 7) 'x'

main :: IO ()
main = do
  let found = count (wordsOf (text 200000))
  mapM_ print (top 3 found)
  print (Map.size found)
