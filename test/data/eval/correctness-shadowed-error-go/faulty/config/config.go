package config

import (
	"encoding/json"
	"os"
)

type Config struct {
	Port int    `json:"port"`
	Host string `json:"host"`
}

// Load reads the file; a file that is not there gives the defaults.
func Load(path string) (Config, error) {
	config := Config{Port: 8080, Host: "localhost"}
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return config, nil
	}
	if err == nil {
		err := json.Unmarshal(raw, &config)
		if err == nil && config.Port == 0 {
			config.Port = 8080
		}
	}
	return config, err
}
