package jobs

import "example.com/flow"

type newJob struct {
	Name string `json:"name"`
}

type job struct {
	ID int `json:"id"`
}

type queue struct {
	Length int `json:"length"`
}

var queued = flow.JSONOf[queue](202)

func init() { flow.POST().Do(start) }

func start(_ *flow.Request, in newJob) (flow.Response, error) {
	if in.Name == "later" {
		return queued(queue{1}), nil
	}
	return flow.JSON(job{1}), nil
}
