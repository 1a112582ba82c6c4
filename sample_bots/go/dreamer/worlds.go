package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// worlds is the child that knows the rules. It answers each line of JSON with another: docs/model.md.
type worlds struct {
	in  io.Writer
	out *bufio.Reader
}

// request is one line to the child. Only what is set is sent; numbers are pointers, since 0 is one.
type request struct {
	Open    []byte `json:"open,omitempty"` // in base64, as encoding/json writes bytes
	Seed    string `json:"seed,omitempty"`
	Close   int    `json:"close,omitempty"`
	Worlds  int    `json:"worlds,omitempty"`
	Model   int    `json:"model,omitempty"`
	Clone   int    `json:"clone,omitempty"`
	Play    int    `json:"play,omitempty"`
	Index   *int   `json:"index,omitempty"`
	PlayOut int    `json:"play_out,omitempty"`
	Outcome int    `json:"outcome,omitempty"`
	Drop    []int  `json:"drop,omitempty"`
}

// reply is one line from the child.
type reply struct {
	Error   string `json:"error"`
	Model   int    `json:"model"`
	Worlds  []int  `json:"worlds"`
	Outcome *struct {
		Scores []float64 `json:"scores"`
		Ranks  []int     `json:"ranks"`
	} `json:"outcome"`
}

// startWorlds starts the child, in this bot's own jail and under its limits. It ends when this process does.
func startWorlds() (*worlds, error) {
	child := exec.Command("python", "-m", "tortuga_bot.model_server")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	w := &worlds{in, bufio.NewReader(out)}
	// Python takes a moment to start: now, while no clock runs. There is nothing to ask yet, which the child says.
	if _, err := w.ask(request{}); errors.Is(err, io.EOF) {
		return nil, err
	}
	return w, nil
}

// ask puts one request and waits for its answer.
func (w *worlds) ask(asked request) (reply, error) {
	var answer reply
	line, err := json.Marshal(asked)
	if err != nil {
		return answer, err
	}
	if _, err := fmt.Fprintf(w.in, "%s\n", line); err != nil {
		return answer, err
	}
	line, err = w.out.ReadBytes('\n')
	if err != nil {
		return answer, fmt.Errorf("the child that knows the rules is gone: %w", err)
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return answer, err
	}
	if answer.Error != "" {
		return answer, errors.New(answer.Error)
	}
	return answer, nil
}
