module github.com/BobuSumisu/aho-corasick

go 1.26.3
