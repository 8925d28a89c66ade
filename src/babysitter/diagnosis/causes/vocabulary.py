"""Classes of words, and which cause a line names that has a word of each class: *who*, and *what* befell it.

Words are compared by their stems (`word_stems`), so singular, plural and tense do not matter; `a_b` is a phrase.
Special words that a reader puts in place of codes and places: `httpauth` (401, 403), `httpabsent` (404), `httpbusy`
(429), `httpserver` (5xx), `httpclient`, `exitcode`, `exitkill` (137, signal 9), `objectstore` (gs://, s3://),
`weburl`, `netaddress`, `sharedlib`, `datafile`, `settingfile`, `filepath`, `devicefile`, `flagname`.
"""

from dataclasses import dataclass

from babysitter.model.finding import Cause

CLASSES: dict[str, str] = {
    # --- what befell it
    "exhausted": "exhaust full insufficient exceed too_large too_big no_space no_memory not_enough no_more low "
    "over_limit over_the_limit run_out ran_out out_of overflow used_up no_room not_fit limit_reach "
    "above_limit cannot_allocate cannot_get unable_to_allocate fail_to_allocate could_not_allocate alloc_fail starve "
    "limit_hit hit_limit no_free larger_than more_than_available space_leave saturate blow too_much used_all "
    "allocate_fail fail_to_cuda_calloc threshold failed_alloc cannot_fit passed limit_pass shortage not_sufficient "
    "usage_exceed allocation_of fail_to_reserve cannot_reserve unable_to_reserve could_not_reserve no_more_room",
    "refused": "refuse deny forbidden unauthorized unauthenticate reject not_allow not_permit not_authorize httpauth "
    "disallow revoke expire no_longer_valid incorrect wrong lack without missing not_have invalid not_find not_exist "
    "require fail cannot unable not_configure bad no not unset not_match could_not problem lapse stale unknown error",
    "absent": "no_such not_find filenotfind not_exist missing absent httpabsent cannot_find can_t_find unable_to_find "
    "no_file could_not_find cannot_locate could_not_locate unable_to_locate find_no no_match_file cannot_open "
    "can't_open nosuch none_find nothing_find does_not_exist unknown not_know not_a_valid not_valid",
    "lost": "lose unreachable disconnect reset unresponsive no_response no_answer hang_up go_away not_respond "
    "cannot_reach not_reachable unavailable stop_respond stop_answer silent no_reply no_heartbeat miss_heartbeat "
    "unhealthy not_ready not_healthy refuse timeout time_out down deadline eof close fail crash overload not_answer "
    "lose_contact slow restart frozen hang never_answer cannot_contact fail_to_contact unable_to_contact httpserver "
    "die broken error",
    "died": "die kill crash exit exitcode exitkill terminate segfault segmentation_fault sigkill sigsegv sigabrt sigbus "
    "signal abort core_dump disappear vanish go unexpectedly_exit lose no_longer_alive actordie crashed",
    "preempted": "preempt evict reclaim reclamation preemptible_stop maintenance_event host_error hosterror "
    "instance_terminate spot_interrupt spot_terminate disruption_target disruptiontarget terminate_by_infra "
    "host_maintenance node_shutdown terminate_on_maintenance vm_terminate was_delete take_back spot_vm coschedule_fail "
    "cosched_fail node_terminate capacity_reclaim higher_priority interruption_notice termination_notice",
    "waiting": "wait pend queue no_capacity not_enough unavailable stockout stock_out exhaust insufficient exceed "
    "no_available no_free cannot_allocate not_available no_more short not_yet backoff fail_to_create could_not_create "
    "out_of none_leave no_machine not_ready not_up not_admit quota unsatisfy full hold ask_for to_appear be_ready "
    "fail_to_provision cannot_provision over_budget await",
    "impossible": "unschedulable cannot infeasible no_match not_match does_not_match no_node no_worker no_machine "
    "unsatisfiable larger_than exceed not_exist no_such conflict untolerate none_of no not_satisfy unable not_have "
    "didn't_match never_be not_fit too_large more_than never_fit",
    "nonfinite": "nan inf infinite infinity nonfinite not_finite non_finite diverge explode blow_up overflow underflow "
    "runaway not_a_number spike",
    "unbuilt": "fail error cannot not_find exitcode no_solution unable conflict mismatch missing deny refuse no_such "
    "incompatible unsatisfiable not_match invalid unexpected unsupport unknown not_build need_to_be abort not_usable "
    "gave_nothing illegal",
    "miscompiled": "fail error cannot unsupport unimplement not_implement illegal exceed crash abort too_large invalid "
    "unable not_legal out_of no_lower internal unexpected mismatch unresolve not_support fatal reject",
    # --- who: the things that causes are about
    "disk": "disk inode ephemeral_storage ephemeral scratch tmpfs filesystem_full no_space space_leave nospc disk_full "
    "disk_space local_storage shm spill free_space volume_full storage_quota disk_quota home_quota partition_full",
    "on_chip": "hbm vram gpu_memory cuda_memory device_memory cuda_out_of_memory kv_cache cuda_malloc cuda_calloc "
    "hip_memory gpu_ram graphics_memory accelerator_memory video_memory outofmemoryexc cudamalloc tpu_memory kv_block "
    "gpu_block",
    "chip_side": "gpu cuda tpu device hbm xla hip rocm pjrt cublas cudnn accelerator jaxlib jax torch pytorch nvidia",
    "memory": "memory ram rss heap cgroup malloc memcg swap mem arraymemory resident_set anon_rss memoryexc object_store",
    "oom": "oom oomkill out_of_memory memory_exhaust errnomemory not_enough_memory insufficient_memory no_memory "
    "cannot_allocate_memory bad_alloc unable_to_allocate memory_limit_exceed memory_pressure memory_monitor "
    "low_on_memory out_of_ram arraymemory memoryexc kill_by_signal_kill memory_allocate_of memory_allocation "
    "resource_exhaust_out_of_memory objectstorefull outofmemory arrowmemory memory_usage_on_the_node",
    "credential": "token credential permission secret login password auth oauth iam jwt identity api_key apikey "
    "service_account serviceaccount access_key publickey bearer authenticate authorize passphrase kerberos adc gate_repo "
    "gate_model permission_deny access_deny accessdeny reauthenticate privilege certificate_verify issuer_certificate "
    "permissiondeny forbidden unauthorized httpauth scope kinit principal role_binding rbac not_authorize refreshexc "
    "credentials accesstoken x509 auth_token hf_token signature_not_match sso",
    "package": "module package import sharedlib distribution symbol dependency library shared_object site_package "
    "requirement pip glibc glibcxx undefined_symbol modulenotfind importexc install cannot_import header_file lib "
    "plugin backend attn extension",
    "package_fault": "no_module no_module_name not_find modulenotfind cannot_open_share cannot_open undefined_symbol "
    "not_install missing importexc cannot_import install require_package package_is_require incompatible version_conflict "
    "no_attribute has_no_attribute not_available need_install cannot_load unable_to_load fail_to_load could_not_load "
    "please_install pip_install no_package version_not_find require undefined older_than newer_than compile_against "
    "fail_to_import could_not_import unable_to_import no_distribution",
    "build": "image bundle docker dockerfile registry manifest lockfile cargo maturin cmake gcc wheel uv_sync "
    "entrypoint exec_format build container_image pull buildkit tarball architecture arm64 aarch64 amd64 venv virtualenv "
    "pyproject resolve_dependency containerd workspace setuptools ninja apt_get npm poetry hatch createcontainer "
    "containerconfig imagepull errimagepull layer imagepullbackoff runtime_environment simple_index pypi conda "
    "solve_dependency no_solution uv lock_file oci_runtime exec_format_error prolog git_clone checkout",
    "chip": "gpu tpu chip xid ecc nvlink nvswitch nvml vfio accelerator libtpu cuda pcie ici hardware nvidia "
    "nvidia_smi devicefile megascale cuinit hip rocm dcgm nvrm tensor_core neuron pjrt cudaexc accel board",
    "chip_fault": "xid ecc uncorrectable fall_off illegal_address illegal_memory illegal_instruction misalign "
    "device_or_resource_busy busy in_use hold_by hardware no_device not_detect device_handle degrade overheat thermal "
    "unknown_error not_initialize already_in_use unspecified_launch launch_failure no_cuda halt wedge link_down "
    "lose_link lost_device not_respond double_bit row_remap cannot_open unable_to_open open_fail fail_to_open fail_to_initialize "
    "unable_to_initialize initialize_fail could_not_initialize initialization_error not_visible device_lost lose_device "
    "unhealthy no_healthy fault driver_mismatch driver_library fail_to_get_device reset_require need_reset sdc bit_flip "
    "data_corruption miscompute core_dump_on_tpu is_lose lose missing no_chip not_find unavailable bad_node fell_off",
    "machine": "node host vm machine instance worker tpu_vm server pod",
    "supply": "capacity quota stockout stock reservation zone slice gang node_pool nodepool node_group machine_type "
    "autoscale autoscaler scale_up scale_group provision placement_group resource_pool instance_type workload "
    "admission queue_resource region on_demand chips nodes machines replica_ready host_ready pool bundle_location",
    "scheduling": "failscheduling scheduling_timeout node_be_available insufficient_cpu insufficient_memory_on "
    "insufficient_nvidia insufficient_google waiting_for_capacity zone_resource_pool not_enough_resource "
    "resource_pool_exhaust stockout waitforcapacity no_capacity insufficient_capacity quota_exceed "
    "waiting_for_quota queue_position wait_in_queue not_admit no_available_node not_enough_free",
    "placement": "constraint affinity taint selector node_type label toleration schedule scheduler placement "
    "attribute_of request_shape topology request demand any_node any_worker worker_group device_variant node resource",
    "controller": "controller apiserver api_server control_plane head_node gcs_server etcd kube_apiserver "
    "webhook scheduler_loop cluster_api gcs_client gcs_rpc global_control_store kubernetes_api "
    "cluster_manager leader_election managed_thread reconcile control_store gcs_at to_gcs finelog log_server "
    "list_job get_job_status getjobstatus listjob endpoint_register registerendpoint heartbeat_rpc rpc_interceptor "
    "job_status fetch_log head controlplane",
    "store": "bucket object blob s3 objectstore checkpoint filesystem file_system mount nfs lustre ceph fuse "
    "gcsfs s3fs fsspec boto botocore upload download snapshot volume tensorstore zarr sqlite database storage r2 minio "
    "gcsfuse weka orbax put_object get_object head_object multipart artifact lfs postgres mongodb ocdbt googleapis "
    "obstore blobstore putobject getobject headobject",
    "store_fault": "httpserver httpbusy timeout time_out reset refuse io_error input_output_error read_only corrupt "
    "unavailable serviceunavailable lock slow_down throttle reduce_your_request too_many_request not_finish incomplete "
    "lose disconnect stale_file stale deadline precondition not_respond broken rate_limit abort fail cannot unable error "
    "internal_error end_early drop interrupt not_complete not_transfer could_not_be malform",
    "value": "loss gradient grad grad_norm norm logit perplexity reward kl entropy weight activation nll advantage "
    "objective score loss_scale parameter optimizer control",
    "compiler": "xla hlo mosaic pallas triton ptxas nvcc lowering stablehlo mlir llvm inductor dynamo torchinductor "
    "cuda_graph cudagraph graph_capture vmem smem codegen jit autotune kernel_compile custom_call nvrtc cutlass cute "
    "torch_compile compile compiler extern_function outofresource shared_memory_require backend_compiler kernel",
    "collective": "nccl gloo allreduce all_reduce allgather all_gather barrier rendezvous collective coordination "
    "process_group processgroup watchdog reduce_scatter reducescatter alltoall all_to_all init_process_group tcpstore "
    "communicator torchelastic rank coordination_service rccl mpi nvshmem participant clique deepep diststore "
    "distbackend worknccl distnetwork other_rank peer_rank recv_operation send_operation all_rank all_host all_process",
    "collective_fault": "timeout time_out late hang stuck wait deadline abort mismatch never fail unhandle "
    "disconnect lose missing not_join not_reach not_arrive no_progress desync out_of_sync different stall wedge not_all",
    "data": "record row column schema json parquet decode parse checksum tokenizer token_id sample datafile dataset "
    "csv utf codec encode line_number delimiter gzip zstd bz2 magic_number md5 crc pickle dataframe image_file "
    "example corpus input_file vocabulary vocab annotation avro tfrecord jsonl unpickle unpickl deserialize decompress "
    "archive footer row_group safetensor arrow arrowinvalid jsondecode unicodedecode badzipfile badgzipfile zip webdataset "
    "document token header zlib lz4 snappy tfrecords",
    "data_fault": "corrupt malform truncate invalid mismatch garble inconsistent cannot_parse cannot_decode can't_decode "
    "undecodable unreadable incomplete not_match damage unterminate duplicate missing wrong bad unexpected null "
    "illegal unrecognized ragged out_of_range negative drop lose skip no_row no_record too_short not_be_understand empty "
    "parse_error decode_error fail_to_parse fail_to_decode unable_to_parse unable_to_decode could_not_parse error_parse "
    "error_decode jsondecode unicodedecode not_a_gzipped not_a_zip not_a_parquet badgzip badzip arrowinvalid expect differ "
    "different_schema schema_mismatch cannot_read fail_read change did_not_decompress parse decompression_error unpickl "
    "error_occur_while_generate header_too_large error_while_deserialize fail_to_read read_fail",
    "config": "argument option flag flagname config configuration setting settingfile parameter env_var "
    "environment_variable hydra omegaconf argparse usage choice batch_size divisible divide parallel_size "
    "mesh axis path filepath directory model_name repo_id repository revision address_already port_already override "
    "yaml toml checkpoint_path chart command_line tensor_parallel sharding world_size hidden_size state_dict "
    "hostname region argumentexc misconfiguration state_dict keyexc mandatory_value bucket checkpoint model_identifier "
    "identifier open_file file_descriptor version_mismatch name_already already_exist already_take already_use size_mismatch "
    "ulimit config_class value_for num_head hostname_of placeholder local_folder spec field key variable value",
    "config_fault": "invalid unrecognized unknown unexpected missing not_find no_such not_divisible must "
    "conflict incompatible not_support unsupport mismatch mutually not_a_valid not_valid not_exist absent undefined "
    "not_allow expect mandatory must_be should_be cannot_be in_use already_in_use already_exist already_take not_set "
    "not_define not_match not_a_directory extra ambiguous not_equal not_divide divisible not_what too_many_open "
    "required is_require are_require not_accept exceed_the_model not_specify argumentexc could_not_override "
    "misconfiguration nosuch filenotfind size_mismatch differ greater_than larger_than less_than cannot_find could_not_find "
    "can't_find not_local cannot_start_new_thread can't_open no_file not_exist does_not_divide",
    "network": "connect socket peer dns tls ssl handshake netaddress weburl port channel stream hostname proxy rpc grpc "
    "route packet tcp http network tunnel gateway websocket infiniband rdma ib roce link interface nic ingress curl "
    "endpoint name_resolution remote transport ping efa urllib aiohttp httpx listener socket_timeout transfer mlx5 mooncake "
    "getaddrinfo client server request readtimeout connecttimeout remotedisconnect",
    "network_fault": "refuse reset close timeout time_out unreachable drop disconnect lose no_route no_answer "
    "unavailable deadline eof break abort not_respond no_response down httpserver httpbusy unresolve not_resolve "
    "end_of_file not_know give_up no_peer cannot_connect fail_to_connect could_not_connect unable_to_connect is_down "
    "port_down max_retry_exceed temporary_failure readtimeout connecttimeout remotedisconnect handshake_fail fail missing",
    "code": "typeexc attributeexc indexexc nameexc assertionexc zerodivisionexc recursionexc notimplementedexc "
    "unboundlocalexc syntaxexc indentationexc check_fail nonetype null_pointer out_of_bound index_out_of panic "
    "segfault segmentation_fault sigsegv sigabrt subscript unhashable bufferexc not_callable "
    "never_await stack_overflow double_free assertion assert notimplement overflowexc stopiterationexc "
    "traceback unsupport_operand has_no_attribute no_attribute unexpected_keyword positional_argument circular_import "
    "concretization tracerbool leaktracer unhandle uncaught shape_mismatch shape dtype nullpointer abort core_dump panick",
    "exception": "runtimeexc valueexc keyexc osexc exception exc error traceback fatal ioexc raise lookupexc",
    "actor": "actor engine replica raylet core_worker server process subprocess child "
    "detokenizer executor sidecar daemon workercrash actordie enginedead task_process rollout worker engine_core",
    "workers": "worker node replica container pod actor peer task",
    "churn": "restart_loop crash_loop crashloop crashloopbackoff back_off_restart keep_restart restart_again no_alive "
    "all_worker_be_die all_die none_alive respawn keep_die die_again will_be_restart miss_too_many_heartbeat "
    "over_ping_threshold mark_die re_queue requeue keep_crash flap be_recreate heartbeat_timeout",
    "vmem": "vmem smem",
    "stage": "progress shard stage step iteration loop queue throughput pipeline epoch batch work eval train_step",
    "stuck": "stuck hang stall no_progress not_progress not_advance not_move deadlock livelock wedge frozen freeze idle "
    "not_make no_step never_finish not_finish",
    "person": "user operator ctrl sigint keyboardinterrupt keyboard_interrupt admin by_request request_by human "
    "cancel_by by_user scancel",
    "cancelled": "cancel interrupt stop abort terminate kill",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A line with a word of `who` and one of `what` names the cause; one class alone is enough without `what`."""

    cause: Cause
    who: str
    what: str = ""


# The first that holds counts, so the specific ones stand before those whose words are everywhere.
ROWS: tuple[Row, ...] = (
    Row(Cause.DISK_FULL, "disk", "exhausted"),
    Row(Cause.DEVICE_OOM, "on_chip", "exhausted"),
    Row(Cause.COMPILE_ERROR, "vmem", "exhausted"),
    Row(Cause.DEVICE_OOM, "chip_side", "oom"),
    Row(Cause.HOST_OOM, "oom"),
    Row(Cause.HOST_OOM, "memory", "exhausted"),
    Row(Cause.AUTH_ERROR, "credential", "refused"),
    Row(Cause.NUMERICAL_DIVERGENCE, "value", "nonfinite"),
    Row(Cause.CAPACITY_WAIT, "scheduling"),
    Row(Cause.PREEMPTION, "preempted"),
    Row(Cause.MISSING_DEPENDENCY, "package", "package_fault"),
    Row(Cause.WORKER_CHURN, "workers", "churn"),
    Row(Cause.BAD_ACCELERATOR, "chip", "chip_fault"),
    Row(Cause.BUILD_OR_BUNDLE_FAILURE, "build", "unbuilt"),
    Row(Cause.COLLECTIVE_TIMEOUT, "collective", "collective_fault"),
    Row(Cause.CAPACITY_WAIT, "supply", "waiting"),
    Row(Cause.UNSCHEDULABLE, "placement", "impossible"),
    Row(Cause.CONTROLLER_UNREACHABLE, "controller", "lost"),
    Row(Cause.CONFIG_ERROR, "store", "absent"),
    Row(Cause.STORAGE_ERROR, "store", "store_fault"),
    Row(Cause.DATA_ERROR, "data", "data_fault"),
    Row(Cause.CONFIG_ERROR, "config", "config_fault"),
    Row(Cause.COMPILE_ERROR, "compiler", "miscompiled"),
    Row(Cause.NETWORK_TIMEOUT, "network", "network_fault"),
    Row(Cause.CODE_ERROR, "code"),
    Row(Cause.STAGE_STUCK, "stage", "stuck"),
    Row(Cause.ACTOR_DIED, "actor", "died"),
    Row(Cause.CODE_ERROR, "exception"),
)
