// Package manifests_test reads kubernetes.yaml as a cluster would. It is a module of
// its own, so that those who use flow need not download the types of Kubernetes.
package manifests_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

// manifests are the objects of the file, in its order.
type manifests struct {
	deployment appsv1.Deployment
	service    corev1.Service
	budget     policyv1.PodDisruptionBudget
}

// read decodes the file. Fields that are not known and keys that are there twice are
// errors, which the test ends with.
func read(t *testing.T) manifests {
	t.Helper()
	text, err := os.ReadFile("../kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var m manifests
	objects := []struct {
		kind string
		dst  any
	}{{"Deployment", &m.deployment}, {"Service", &m.service}, {"PodDisruptionBudget", &m.budget}}
	documents := strings.Split(string(text), "\n---\n")
	if len(documents) != len(objects) {
		t.Fatalf("kubernetes.yaml has %d objects, want %d", len(documents), len(objects))
	}
	for i, o := range objects {
		if !strings.Contains(documents[i], "\nkind: "+o.kind+"\n") && !strings.HasPrefix(documents[i], "kind: "+o.kind+"\n") {
			t.Fatalf("object %d is no %s", i, o.kind)
		}
		if err := yaml.UnmarshalStrict([]byte(documents[i]), o.dst); err != nil {
			t.Fatalf("%s: %v", o.kind, err)
		}
	}
	return m
}

func TestKinds(t *testing.T) {
	is := is.New(t)
	m := read(t)
	is.Equal(m.deployment.APIVersion, appsv1.SchemeGroupVersion.String())
	is.Equal(m.service.APIVersion, corev1.SchemeGroupVersion.String())
	is.Equal(m.budget.APIVersion, policyv1.SchemeGroupVersion.String())
}

func TestLabels(t *testing.T) {
	is := is.New(t)
	m := read(t)
	labels := m.deployment.Spec.Template.Labels
	is.True(len(labels) > 0)
	is.Equal(m.deployment.Spec.Selector.MatchLabels, labels)
	is.Equal(m.service.Spec.Selector, labels)
	is.Equal(m.budget.Spec.Selector.MatchLabels, labels)
}

// TestPorts follows the names of ports to the one that the application listens on.
func TestPorts(t *testing.T) {
	is := is.New(t)
	m := read(t)
	container := m.deployment.Spec.Template.Spec.Containers[0]
	is.Equal(len(container.Ports), 1)
	is.Equal(container.Ports[0].ContainerPort, int32(8080)) // the default of -addr
	name := container.Ports[0].Name
	is.Equal(m.service.Spec.Ports[0].TargetPort.StrVal, name)
	for _, probe := range []*corev1.Probe{container.StartupProbe, container.ReadinessProbe, container.LivenessProbe} {
		is.Equal(probe.HTTPGet.Port.StrVal, name)
	}
}

// TestProbes: what asks for others decides about requests only, and a migration has its time.
func TestProbes(t *testing.T) {
	is := is.New(t)
	container := read(t).deployment.Spec.Template.Spec.Containers[0]
	startup, ready, live := container.StartupProbe, container.ReadinessProbe, container.LivenessProbe
	is.Equal(startup.HTTPGet.Path, "/livez")
	is.Equal(ready.HTTPGet.Path, "/readyz")
	is.Equal(live.HTTPGet.Path, "/livez")
	is.True(lasts(startup) >= 5*time.Minute)
	is.True(lasts(live) >= 30*time.Second)
	for _, path := range []string{"livez", "readyz"} {
		_, err := os.Stat("../../app/router/" + path + ".http") // the sample has both
		is.NoErr(err)
	}
	source, err := os.ReadFile("../../app/readyz.go")
	is.NoErr(err)
	is.True(strings.Contains(string(source), "\nconst readyLimit = time.Second\n"))
	is.True(ready.TimeoutSeconds > 1) // so that it says itself what is missing
}

// lasts returns how long a probe may fail.
func lasts(p *corev1.Probe) time.Duration {
	return time.Duration(p.PeriodSeconds*p.FailureThreshold) * time.Second
}

// TestStop adds up what a pod may take to stop.
func TestStop(t *testing.T) {
	is := is.New(t)
	pod := read(t).deployment.Spec.Template.Spec
	container := pod.Containers[0]
	n := len(container.Args)
	is.Equal(container.Args[n-2], "-drain")
	drain, err := time.ParseDuration(container.Args[n-1])
	is.NoErr(err)
	pause := time.Duration(container.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
	is.True(pause > lasts(container.ReadinessProbe))
	is.True(grace >= pause+drain+5*time.Second)
}

// TestImage compares the pod with what the Dockerfile makes.
func TestImage(t *testing.T) {
	is := is.New(t)
	pod := read(t).deployment.Spec.Template.Spec
	dockerfile, err := os.ReadFile("../Dockerfile")
	is.NoErr(err)
	is.True(strings.Contains(string(dockerfile), "\nUSER 65534:65534\n"))
	is.Equal(*pod.SecurityContext.RunAsUser, int64(65534))
	mount := pod.Containers[0].VolumeMounts[0] // the root file system is read-only
	is.Equal(mount.MountPath, "/tmp")
	is.Equal(pod.Volumes[0].Name, mount.Name)
}

// TestMemory leaves room between what the collector aims at and the end.
func TestMemory(t *testing.T) {
	is := is.New(t)
	container := read(t).deployment.Spec.Template.Spec.Containers[0]
	var aim string
	for _, v := range container.Env {
		if v.Name == "GOMEMLIMIT" {
			aim = strings.TrimSuffix(v.Value, "B") // 230MiB in Go is 230Mi here
		}
	}
	soft, err := resource.ParseQuantity(aim)
	is.NoErr(err)
	is.True(soft.Cmp(*container.Resources.Limits.Memory()) < 0)
}
