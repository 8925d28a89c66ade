"""The things that causes are about: classes of words, by their stems; `cause_words.py` uses them."""

WHO: dict[str, str] = {
    "long_work": (
        "autotune build cache capture compile download fold import_time initialize instruction load "
        "operation precompile reshard restore start_up startup trace warm_up warmup"
    ),
    "kernel_maker": "autotune inductor mosaic outofresource pallas ptxas smem triton vmem",
    "shm": "ancdata bus_error shared_memory shm",
    "disk": (
        "database_space device_full disk disk_alarm disk_full_flag disk_pressure disk_resource disk_usage "
        "diskpressure edquot enospc ephemeral ephemeral_storage filesystem_full flood_stage free_disk "
        "free_space home_quota inode insufficient_disk local_storage low_disk no_space no_space_leave "
        "nospc not_enough_disk out_of_disk_space over_quota_disk partition_full quota_for_disk scratch "
        "shm space_leave spill storage_full storage_quota storage_space tmpfs volume_full watermark"
    ),
    "on_chip": (
        "accelerator_memory cuda_malloc cuda_memory cuda_out_of_memory cudamalloc device_memory gpu_block "
        "gpu_memory gpu_ram graphics_memory hbm hip_memory kv_block kv_cache tpu_memory video_memory vram"
    ),
    "chip_side": (
        "accelerator cublas cuda cudnn device gpu hbm hip jax jaxlib nvidia pjrt pytorch rocm tensorrt "
        "torch tpu trt xla"
    ),
    "oom": (
        "allocation_fail_process arraymemory arrowmemory bad_alloc beyond_physical_memory "
        "beyond_virtual_memory cannot_allocate_memory cannot_allocate_vector cannot_allocate_vector_of "
        "cannot_fork_memory container_kill_for_memory errnomemory evict_memory exceed_memory_limit "
        "exceeding_memory gc_overhead heap_exhaust heap_out_of_memory hs_err insufficient_memory "
        "insufficient_memory_for insufficient_memory_for_the_java insufficient_ram java_heap_space "
        "javascript_heap kill_by_signal_kill killed_because_of_memory killed_by_oom low_memory_killer "
        "low_on_memory maxmemory mem_exceed memlimit memory_allocate_of memory_allocation memory_budget "
        "memory_cgroup memory_exhaust memory_high_watermark memory_limit_exceed memory_limit_of "
        "memory_limit_reach memory_monitor memory_pressure memory_resource_limit_alarm "
        "memory_usage_on_the_node memory_watermark memoryerr memoryexc no_memory not_enough_memory "
        "not_enough_ram objectstorefull oom oom_command oom_command_not_allow oom_kill oom_reaper oomkill "
        "oomkiller out_of_memory out_of_memory_kill out_of_ram outofmemory outofmemoryexc "
        "over_cgroup_memory over_memory over_memory_limit reached_heap_limit "
        "resource_exhaust_out_of_memory run_beyond std_bad_alloc term_memlimit unable_to_allocate "
        "virtual_memory_exhaust"
    ),
    "memory": (
        "arraymemory cgroup heap malloc mem memcg memory memory_resource memory_resource_limit memoryexc "
        "object_store ram resident_set rss swap"
    ),
    "credential": (
        "access_deny access_key accessdeny accesstoken api_key apikey auth_error auth_token authenticate "
        "authn authorize bearer certificate_verify client_secret credential forbidden gate_model "
        "gate_repo hf_token httpauth iam identity issuer_certificate jwt kerberos kinit login oauth "
        "passphrase password permission permissiondeny privilege publickey rbac reauthenticate refreshexc "
        "role_binding service_account service_principal serviceaccount signature_not_match "
        "signaturedoesnotmatch sso unauthorized"
    ),
    "token": "account auth certificate principal role scope secret token",
    "value": (
        "activation advantage control entropy grad gradient kl logit loss nll norm objective optimizer "
        "parameter perplexity reward score weight"
    ),
    "scheduling": (
        "accept_any_resource capacity_not_available capacityexc exceed_quota failscheduling fit_in_remain "
        "higher_than_can_be_met insufficient_capacity insufficient_cpu insufficient_google "
        "insufficient_gpu insufficient_instance insufficient_memory_node insufficient_memory_on "
        "insufficient_nvidia insufficient_quota insufficient_unused_quota insufficientinstancecapacity "
        "no_available_node no_capacity no_capacity_available node_be_available not_accept_resource "
        "not_admit not_enough_capacity not_enough_free not_enough_resource pending_placement pod_pending "
        "queue_position quota_exceed quota_exhaust resource_pool_exhaust resource_quota scale_up "
        "scaling_group_to scheduling_timeout stockout unable_to_provision unschedulable_resource "
        "wait_for_machine wait_for_node wait_for_worker wait_in_queue waitforcapacity "
        "waiting_for_capacity waiting_for_gpu waiting_for_placement waiting_for_quota "
        "waiting_for_resource waiting_for_worker_to_join zone_resource_pool"
    ),
    "time_limit": (
        "active_deadline deadlineexceed_job execution_timeout max_runtime run_time_limit "
        "scheduling_deadline time_budget time_limit wall_time walltime"
    ),
    "preempted": (
        "cosched_fail coschedule_fail disruption_target disruptiontarget drain_node due_to_preemption "
        "evict higher_priority host_error host_maintenance hosterror instance_shutdown_notice "
        "instance_terminate interruption_notice job_preempt job_requeue_due lame_worker maintenance_event "
        "node_be_drain node_fail node_shutdown node_terminate nodes_be_preempt notebook_evict preempt "
        "preempted_by preemptible_instance preemptible_stop preemptible_vm preemption_notice "
        "rebalance_recommendation reclaim reclaimed_by reclamation scheduled_maintenance spot_instance "
        "spot_interrupt spot_interruption spot_terminate spot_vm take_back terminate_by_infra "
        "terminate_on_maintenance terminated_due_to_spot termination_notice vm_terminate"
    ),
    "package": (
        "attn dependency distribution glibc glibcxx header_file import importexc library module "
        "modulenotfind package pip plugin requirement shared_object sharedlib symbol"
    ),
    "workers": "actor container node pod replica worker",
    "chip": (
        "accel accelerator board chip cuda cudaexc cuinit dcgm device devicefile ecc gpu hardware hip ici "
        "libtpu megascale neuron nvidia nvlink nvml nvrm nvswitch pcie pjrt rocm tensor_core tpu vfio xid"
    ),
    "build": (
        "aarch64 amd64 apt_get arm64 base_image build buildkit bundle cargo checkout cmake conda "
        "container_image containerconfig containerd cpu_architecture createcontainer distribution_for "
        "docker docker_image dockerfile download_distribution errimagepull exec_format exec_format_error "
        "fail_pull find_image gcc git gpu_architecture hatch image_be image_name image_not image_pull "
        "imagepull imagepullbackoff incompatible_architecture layer lock_file lockfile "
        "machine_architecture manifest matching_distribution maturin ninja no_solution npm oci_runtime "
        "poetry prolog pull_image pypi pyproject registry remote_ref resolve_dependency "
        "runtime_environment setuptools simple_index solve_dependency submodule tarball uv venv "
        "virtualenv wheel workspace wrong_architecture"
    ),
    "collective": (
        "all_gather all_host all_process all_reduce all_to_all allgather allreduce alltoall barrier "
        "clique collective communicator coordination deepep distbackend distnetwork distributed diststore "
        "execute_model gloo init_process_group mpi nccl nccl_watchdog nvshmem participant process_group "
        "processgroup rank rccl recv_operation reduce_scatter reducescatter rendezvous send_operation "
        "tcpstore torchelastic worknccl"
    ),
    "supply": (
        "admission autoscale autoscaler capacity chips gang host_ready instance_type machines nodepool "
        "nodes on_demand placement_group pool provision queue_resource quota region replica_ready "
        "reservation scale_group scale_up slice stock stockout workload zone"
    ),
    "placement": (
        "affinity attribute_of constraint demand device_variant label node placement request_shape "
        "resource schedule scheduler selector taint toleration topology worker_type"
    ),
    "controller": (
        "api_server apiserver cluster_api cluster_manager control_plane control_store controller "
        "controlplane endpoint_register etcd fetch_log finelog gcs_at gcs_client gcs_rpc gcs_server "
        "gcs_to_become_available get_job_status getjobstatus global_control_store head_address head_node "
        "head_pod head_service heartbeat_rpc job_status kubernetes_api leader_election list_job listjob "
        "log_server managed_thread reconcile registerendpoint rpc_interceptor scheduler_loop to_gcs "
        "wait_for_gcs webhook"
    ),
    "compiler": (
        "autotune capture_cuda codegen compile compiler cuda_graph cudagraph custom_call cute cutlass "
        "dynamo extern_function graph_capture hlo inductor jit kernel llvm lowering mlir mosaic nvcc "
        "nvrtc outofresource pallas ptxas shared_memory_require smem stablehlo stream_capture "
        "torchinductor triton vmem xla_compile xla_compiler"
    ),
    "store": (
        "artifact blob blobstore boto botocore bucket ceph checkpoint database download file_system "
        "filesystem fsspec fuse gcsfs gcsfuse getobject googleapis headobject lfs lustre minio mongodb "
        "mount multipart nfs object obstore ocdbt orbax postgres putobject r2 s3 s3fs snapshot sqlite "
        "storage tensorstore transaction upload volume weka zarr"
    ),
    "objectstore": "objectstore",
    "not_there": (
        "cannot_find cannot_locate cannot_open could_not_find could_not_locate could_not_open "
        "fail_to_find fail_to_locate fail_to_open no_such not_exist not_find unable_to_find "
        "unable_to_locate unable_to_open"
    ),
    "http_client": "httpabsent httpclient",
    "http_server": "httpserver httpbusy",
    "data": (
        "annotation archive arrow arrowinvalid avro badgzipfile badzipfile bz2 checksum codec column "
        "corpus crc csv data_sample datafile dataframe dataset decode decompress delimiter deserialize "
        "encode footer gzip header image_file input_file json jsondecode jsonl line_number lz4 "
        "magic_number md5 parquet parse pickle record row safetensor samples_of schema snappy tfrecord "
        "token_id tokenizer training_example unicodedecode unpickle utf vocab vocabulary webdataset zip "
        "zlib zstd"
    ),
    "config": (
        "address_already already_exist already_take already_use argparse argument argumentexc axis "
        "batch_size bucket chart checkpoint choice command_line config configuration default_value "
        "directory divide divisible env_var environment_key field file_descriptor filepath flag flagname "
        "hidden_size hostname hydra identifier keyexc local_folder mandatory_value mesh misconfiguration "
        "model_architecture model_name model_type name_already num_head num_worker omegaconf open_file "
        "option ordinal override parallel_size parameter path placeholder port_already profile region "
        "repo_id repository revision setting settingfile sharding size_mismatch spec state_dict "
        "tensor_parallel tensor_parallel_size toml ulimit usage value_for variable version_mismatch "
        "world_size yaml"
    ),
    "network": (
        "aiohttp broker channel connect connecttimeout curl dns efa endpoint gateway getaddrinfo grpc "
        "handshake hostname http httpx ib infiniband ingress interface link listener metadata_server mlx5 "
        "mooncake name_resolution netaddress network nic packet peer ping port proxy proxyexc rdma "
        "readtimeout remote remotedisconnect roce route rpc socket ssl stream tcp tls transport tunnel "
        "urllib websocket weburl"
    ),
    "code": (
        "access_violation arithmeticexc arrayindexoutofboundexc assert assert_eq assert_fail assertion "
        "assertion_fail assertionexc attributeexc be_not_a_function borrow bufferexc bug_in_the_code "
        "cannot_read_properties_of cannot_read_property check_fail circular_import classcastexc "
        "concretization concurrentmodificationexc core_dump div_by_zero division_by_zero double_free "
        "dtype expected_but_got fail_test fatal_python goroutine got_want has_no_attribute "
        "heap_corruption illegal_address illegal_memory illegalargumentexc illegalstateexc indentationexc "
        "index_out_of index_out_of_range indexexc indexoutofboundexc invalid_device_ordinal "
        "invalid_memory_address invalid_pointer invalid_syntax leaktracer nameexc never_await nil_map "
        "nil_pointer no_attribute no_method_error nomethodexc nonetype not_callable not_define "
        "not_iterable notimplement notimplementedexc null_pointer nullpointer nullpointerexc out_of_bound "
        "overflowexc panic panick parse_error_unexpected positional_argument rangeexc recursionexc "
        "referenceexc segfault segmentation_fault segv shape sigabrt sigsegv slice_bound stack_overflow "
        "stack_smash stackoverflowexc stopiterationexc subscript syntax_error syntaxexc test_fail "
        "test_fail_on traceback tracerbool typeexc unboundlocalexc uncaught uncaught_exception "
        "uncaught_referenceexc uncaught_typeexc undefined_be_not_a_function undefined_local_variable "
        "undefined_method unexpected_indent unexpected_keyword unexpected_token unhandle "
        "unhandled_exception unhashable unpack unsupport_operand unsupportedoperationexc unwrap "
        "zerodivisionexc"
    ),
    "stage": "batch epoch eval iteration loop pipeline progress queue shard stage step throughput work",
    "actor": (
        "actor actordie child daemon detokenizer engine enginedead executor process raylet replica "
        "rollout server sidecar subprocess worker workercrash"
    ),
    "late": "deadline time_out timeout",
    "value_exc": (
        "argumenterror assertionexc badparameter clickexc configexc keyexc lookupexc notimplementedexc "
        "runtimeexc typerexc usage validationexc valueexc"
    ),
    "exception": (
        "error exc exception fatal ioexc keyexc lookupexc osexc raise runtimeexc traceback valueexc"
    ),
    "standstill": (
        "all_goroutine_asleep appear_hang appear_stuck deadlock hang_for hung_task job_stall livelock "
        "make_no_progress no_progress seem_stuck stage_stall stall_for stuck_for task_stall"
    ),
}
