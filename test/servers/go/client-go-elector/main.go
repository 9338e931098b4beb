// A foreign contender: client-go's own elector on one Lease, telling what happens to it as lines of JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

type told struct {
	Event    string  `json:"event"`
	Identity string  `json:"identity"`
	Leader   string  `json:"leader,omitempty"`
	AtMs     float64 `json:"atMs"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig")
	namespace := flag.String("namespace", "default", "namespace of the Lease")
	lease := flag.String("lease", "", "name of the Lease")
	identity := flag.String("identity", "", "holderIdentity of this contender")
	leaseDuration := flag.Duration("lease-duration", 15*time.Second, "how long a standby waits after the last renewal it saw")
	renewDeadline := flag.Duration("renew-deadline", 10*time.Second, "how long the leader tries to renew before it gives up")
	retryPeriod := flag.Duration("retry-period", 2*time.Second, "pause between tries")
	release := flag.Bool("release", false, "give the Lease back at SIGTERM or SIGINT")
	flag.Parse()

	// client-go calls back from goroutines of its own.
	var writing sync.Mutex
	lines := json.NewEncoder(os.Stdout)
	tell := func(event, leader string) {
		writing.Lock()
		defer writing.Unlock()
		if err := lines.Encode(told{event, *identity, leader, float64(time.Now().UnixMicro()) / 1000}); err != nil {
			log.Fatalf("stdout: %v", err)
		}
	}
	// The end of the leading context is told even if the process has nothing else to do.
	var leaderships sync.WaitGroup
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatalf("kubeconfig: %v", err)
	}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, *namespace, *lease,
		resourcelock.ResourceLockConfig{Identity: *identity}, config, *renewDeadline)
	if err != nil {
		log.Fatalf("lock: %v", err)
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: *leaseDuration, RenewDeadline: *renewDeadline, RetryPeriod: *retryPeriod,
		ReleaseOnCancel: *release, Name: *lease,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				leaderships.Add(1)
				defer leaderships.Done()
				tell("leading", "")
				<-leading.Done()
				tell("told-to-stop", "")
			},
			OnStoppedLeading: func() { tell("lost", "") },
			OnNewLeader:      func(leader string) { tell("observed", leader) },
		},
	})
	if err != nil {
		log.Fatalf("elector: %v", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	tell("started", "")
	for ctx.Err() == nil {
		elector.Run(ctx)
	}
	leaderships.Wait()
}
