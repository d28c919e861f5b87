package main

import (
	"fmt"
	"os"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

// readConfig reads rules as gitleaks does, without the library that it merges configurations with.
func readConfig(path string) (config.Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return config.Config{}, err
	}
	var raw config.ViperConfig
	if err := toml.Unmarshal(text, &raw); err != nil {
		return config.Config{}, fmt.Errorf("%s: %w", path, err)
	}
	rules, err := raw.Translate()
	if err != nil {
		return config.Config{}, fmt.Errorf("%s: %w", path, err)
	}
	rules.Path = path
	return rules, nil
}
