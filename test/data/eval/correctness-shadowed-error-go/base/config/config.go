package config

import (
	"encoding/json"
	"os"
)

type Config struct {
	Port int    `json:"port"`
	Host string `json:"host"`
}
