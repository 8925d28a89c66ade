"""The things that causes are about: classes of words, by their stems; `cause_words.py` uses them."""

WHO: dict[str, str] = {
    "long_work": (
        "autotune build cache capture compile download fold import_time initialize instruction load "
        "operation precompile reshard restore start_up startup trace warm_up warmup"
    ),
    "kernel_maker": "autotune inductor mosaic outofresource pallas ptxas smem triton vmem",
    "shm": "ancdata bus_error shared_memory shm",
    "disk": (
        "database_space device_full disk disk_full_flag disk_pressure disk_usage diskpressure edquot "
        "enospc ephemeral ephemeral_storage filesystem_full flood_stage free_disk free_space home_quota "
        "inode insufficient_disk local_storage low_disk no_space no_space_leave nospc not_enough_disk "
        "out_of_disk_space over_quota_disk partition_full quota_for_disk scratch shm space_leave spill "
        "storage_full storage_quota storage_space tmpfs volume_full watermark"
    ),
    "on_chip": (
        "accelerator_memory cuda_malloc cuda_memory cuda_out_of_memory cudamalloc device_memory gpu_block "
        "gpu_memory gpu_ram graphics_memory hbm hip_memory kv_block kv_cache tpu_memory video_memory vram"
    ),
    "chip_side": (
        "accelerator cublas cuda cudnn device gpu hbm hip jax jaxlib nvidia pjrt pytorch rocm torch tpu xla"
    ),
    "oom": (
        "allocation_fail_process arraymemory arrowmemory bad_alloc beyond_physical_memory "
        "beyond_virtual_memory cannot_allocate_memory cannot_fork_memory container_kill_for_memory "
        "errnomemory evict_memory exceed_memory_limit exceeding_memory gc_overhead heap_exhaust "
        "heap_out_of_memory hs_err insufficient_memory insufficient_memory_for "
        "insufficient_memory_for_the_java insufficient_ram java_heap_space javascript_heap "
        "kill_by_signal_kill killed_because_of_memory killed_by_oom low_memory_killer low_on_memory "
        "maxmemory mem_exceed memlimit memory_allocate_of memory_allocation memory_budget memory_cgroup "
        "memory_exhaust memory_high_watermark memory_limit_exceed memory_limit_of memory_limit_reach "
        "memory_monitor memory_pressure memory_usage_on_the_node memory_watermark memoryerr memoryexc "
        "no_memory not_enough_memory not_enough_ram objectstorefull oom oom_command oom_command_not_allow "
        "oom_kill oom_reaper oomkill oomkiller out_of_memory out_of_memory_kill out_of_ram outofmemory "
        "outofmemoryexc over_cgroup_memory over_memory over_memory_limit reached_heap_limit "
        "resource_exhaust_out_of_memory run_beyond std_bad_alloc term_memlimit unable_to_allocate "
        "virtual_memory_exhaust"
    ),
    "memory": (
        "arraymemory cgroup heap malloc mem memcg memory memoryexc object_store ram resident_set rss swap"
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
        "aarch64 amd64 apt_get architecture arm64 build buildkit bundle cargo checkout cmake conda "
        "containerconfig containerd createcontainer distribution_for docker dockerfile "
        "download_distribution errimagepull exec_format exec_format_error fail_pull gcc git hatch image "
        "image_pull imagepull imagepullbackoff layer lock_file lockfile manifest matching_distribution "
        "maturin ninja no_solution npm oci_runtime poetry prolog pull_image pypi pyproject registry "
        "remote_ref resolve_dependency runtime_environment setuptools simple_index solve_dependency "
        "submodule tarball uv venv virtualenv wheel workspace"
    ),
    "collective": (
        "all_gather all_host all_process all_reduce all_to_all allgather allreduce alltoall barrier "
        "clique collective communicator coordination deepep distbackend distnetwork distributed diststore "
        "execute_model gloo init_process_group mpi nccl nvshmem participant process_group processgroup "
        "rank rccl recv_operation reduce_scatter reducescatter rendezvous send_operation tcpstore "
        "torchelastic watchdog worknccl"
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
        "torchinductor triton vmem xla"
    ),
    "store": (
        "artifact blob blobstore boto botocore bucket ceph checkpoint database download file_system "
        "filesystem fsspec fuse gcsfs gcsfuse getobject googleapis headobject lfs lustre minio mongodb "
        "mount multipart nfs object objectstore obstore ocdbt orbax postgres putobject r2 s3 s3fs "
        "snapshot sqlite storage tensorstore upload volume weka zarr"
    ),
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
        "model_name model_type name_already num_head num_worker omegaconf open_file option ordinal "
        "override parallel_size parameter path placeholder port_already region repo_id repository "
        "revision setting settingfile sharding size_mismatch spec state_dict tensor_parallel "
        "tensor_parallel_size toml ulimit usage value_for variable version_mismatch world_size yaml"
    ),
    "network": (
        "aiohttp channel connect connecttimeout curl dns efa endpoint gateway getaddrinfo grpc handshake "
        "hostname http httpx ib infiniband ingress interface link listener metadata_server mlx5 mooncake "
        "name_resolution netaddress network nic packet peer ping port proxy proxyexc rdma readtimeout "
        "remote remotedisconnect roce route rpc socket ssl stream tcp tls transport tunnel urllib "
        "websocket weburl"
    ),
    "code": (
        "access_violation arithmeticexc arrayindexoutofboundexc assert assert_fail assertion "
        "assertion_fail assertionexc attributeexc be_not_a_function borrow bufferexc bug_in_the_code "
        "cannot_read_properties_of cannot_read_property check_fail circular_import classcastexc "
        "concretization concurrentmodificationexc core_dump div_by_zero division_by_zero double_free "
        "dtype expected_but_got fatal_python goroutine has_no_attribute heap_corruption illegal_address "
        "illegal_memory illegalargumentexc illegalstateexc indentationexc index_out_of index_out_of_range "
        "indexexc indexoutofboundexc invalid_device_ordinal invalid_memory_address invalid_pointer "
        "invalid_syntax leaktracer nameexc never_await nil_map nil_pointer no_attribute no_method_error "
        "nomethodexc nonetype not_callable not_define not_iterable notimplement notimplementedexc "
        "null_pointer nullpointer nullpointerexc out_of_bound overflowexc panic panick "
        "parse_error_unexpected positional_argument rangeexc recursionexc referenceexc segfault "
        "segmentation_fault segv shape sigabrt sigsegv slice_bound stack_overflow stack_smash "
        "stackoverflowexc stopiterationexc subscript syntax_error syntaxexc test_fail traceback "
        "tracerbool typeexc unboundlocalexc uncaught uncaught_exception uncaught_referenceexc "
        "uncaught_typeexc undefined_be_not_a_function undefined_local_variable undefined_method "
        "unexpected_indent unexpected_keyword unexpected_token unhandle unhandled_exception unhashable "
        "unpack unsupport_operand unsupportedoperationexc unwrap zerodivisionexc"
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
    "net_alone": (
        "bad_gateway broken_pipe brokenpipe cannot_connect cannot_reach cannot_resolve chunk_encode "
        "client_timeout_exceed connect_abort connect_break connect_close connect_lose connect_refuse "
        "connect_reset connect_terminate connect_time_out connect_unexpected_close connectexc "
        "connectionrefused connectionreset connectiontimeout connectiontimeoutexc connecttimeoutexc "
        "could_not_connect could_not_reach could_not_resolve curl_error eai_again end_of_stream_before "
        "eof_occur_in_violation fail_to_connect fail_to_establish fail_to_open_stream fail_to_reach "
        "fail_to_resolve fetch_fail gateway_time_out getaddrinfo handshake_fail handshake_time_out "
        "host_unreachable incomplete_read lose_communicate lost_communication lost_connect lost_contact "
        "name_or_service_not_know name_resolution network_unreachable new_connect no_healthy_upstream "
        "no_route_to_host no_such_host nodename_nor_servname not_resolve nxdomain peer_close poll_timeout "
        "premature_close proxyexc remote_end_close remotedisconnect request_cancel_while_wait "
        "response_end_premature retry_count_exceed retry_counter_exceed retry_exceed_error rpc_fail "
        "rpc_timeout server_close server_misbehav servfail socket_close socket_hang_up socket_timeout "
        "socketexc sockettimeout ssl_error tls_handshake unable_to_connect unable_to_establish_connect "
        "unable_to_reach unable_to_resolve unexpected_eof_while_read unknown_host unknownhostexc "
        "upstream_connect upstream_time_out"
    ),
    "store_alone": (
        "all_shard_fail attachvolume blk_update block_missing buffer_i_o cannot_send_after_transport "
        "circuit_break closed_channel cluster_down clusterdown condition_not_met conditional_request "
        "connect_pool_exhaust could_not_be_replicate could_not_obtain_block could_not_serialize_access "
        "database_be_lock database_disk_image database_system_be_shut database_system_be_start "
        "deadlock_detect disk_i_o ext4_fs fail_to_mount failedattachvolume failedmount "
        "file_not_a_database filesystem_error in_sync_replica index_corrupt input_output_error io_error "
        "loading_dataset_in_memory lock_timeout lock_wait_timeout lost_block min_isr misconf "
        "missing_block mongo_server mount_error mount_fail mountvolume multipart_upload "
        "no_available_replica no_primary no_replica_set_member no_such_upload nosuchupload not_a_database "
        "not_enough_replica not_primary notenoughreplica osd_down precondition_fail queuepool_limit "
        "read_only_file read_only_file_system read_only_mode read_only_transaction readonly_file_system "
        "redis_timeout reduce_your_rate reduce_your_request remaining_connect_slot remote_i_o "
        "replica_set_no_primary serialization_fail server_selection_timeout shard_unavailable slow_down "
        "slowdown stale_file_handle stale_handle stale_nfs tablespace too_many_client too_many_connect "
        "too_many_open_table too_many_part transport_endpoint unable_to_attach under_replicate "
        "upload_part wal_corrupt xfs_corruption"
    ),
    "data_alone": (
        "bad_crc bad_magic cannot_decode_byte cannot_parse checksum_error checksum_fail checksum_mismatch "
        "codec_cannot_decode column_not_exist column_not_find corrupt_data corrupt_file corrupt_record "
        "corruptrecord could_not_parse crc_check crc_error crc_mismatch data_corrupt data_loss dataloss "
        "dataset_be_empty decode_error deserializationexc deserialize_error duplicate_entry duplicate_key "
        "empty_file end_of_file_while error_deserialize error_parse fail_to_deserialize fail_to_parse "
        "file_be_corrupt file_be_empty file_be_truncate foreign_key_constraint invalid_byte_sequence "
        "invalid_input_syntax invalid_json invalid_start_byte invalid_utf json_parse magic_byte "
        "magic_number malform_json malform_line malform_record malformed_input missing_column "
        "missing_field no_example no_row_in no_sample no_such_column not_a_gzip not_a_parquet not_a_zip "
        "null_value_in_column out_of_range_for_type parse_error parse_json premature_end record_too_large "
        "schema_mismatch schema_validation serializationexc truncate_file truncate_record type_mismatch "
        "unable_to_parse unexpected_column unexpected_end_of unexpected_eof_in unexpected_field "
        "unexpected_token_in_json unique_constraint unknown_column unpickl unterminate_string "
        "value_too_long violate_not_null zero_byte"
    ),
    "dependency_alone": (
        "binary_incompatibility cannot_find_l_lib cannot_find_module cannot_find_package "
        "cannot_import_name cannot_open_share class_not_find class_version command_not_find "
        "compiled_by_a_more_recent compiled_using_numpy could_not_load_file_or_assembly "
        "err_module_not_find executable_file_not_find exitnotfind fail_to_import glibc glibcxx "
        "image_not_find_dyld incompatible_with_numpy library_not_find library_not_load modulenotfind "
        "no_class_def no_installation_candidate no_matching_version no_module_name no_package_match "
        "no_such_method no_such_module nosuchmethodexc not_install not_recognize_as_an_internal "
        "numpy_core_multiarray requires_python symbol_lookup_error symbol_not_find unable_to_import "
        "unable_to_load_native unable_to_locate_package undefined_reference undefined_symbol "
        "unsupported_class_file unsupported_class_version unsupportedclassversion version_conflict"
    ),
    "build_alone": (
        "build_fail cargo_build collect2 compilation_fail compilation_terminate containerconfig "
        "context_canceled_build could_not_build_wheel could_not_compile could_not_resolve_all "
        "could_not_resolve_dependency createcontainer createcontainerconfig dependency_conflict "
        "did_not_complete_successful dockerfile_parse eresolve errimagepull error_pull exec_format "
        "exec_format_error execution_fail_for_task executor_fail_running fail_build_wheel fail_to_build "
        "fail_to_compile fail_to_pull fail_to_solve frozen_lockfile get_requirement_to_build gradle_build "
        "imagepullbackoff ld_return linker_command_fail lockfile_be_out make_error manifest_for "
        "manifest_unknown maven metadata_generation ninja_build_stop no_matching_package npm_err "
        "oci_runtime out_of_date_lockfile peer_dependency pip_subprocess pull_access resolutionimpossible "
        "resolve_dependency runc_create runcontainer subprocess_exit_with unable_to_start_container "
        "wheel_for yarn_error"
    ),
    "config_alone": (
        "address_already_in_use address_in_use already_exist already_in_use_by_another bad_configuration "
        "bad_option be_not_set bind_address_already bootstrap_check bucket_not_exist cannot_access "
        "cannot_be_use_with cannot_open_file cannot_stat config_file_not configexc configuration_error "
        "configurationexc conn_id_not_define could_not_find_config could_not_open_file database_not_exist "
        "eaddrinuse environment_variable error_parse_config file_not_find flag_provide_but_not_define "
        "found_character_cannot improperlyconfigured incompatible_option index_not_find invalid_account "
        "invalid_argument_for invalid_choice invalid_config invalid_configuration invalid_flag "
        "invalid_option invalid_parameter invalid_partition invalid_partition_name invalid_qos "
        "invalid_value_for invalid_yaml invalidargument mapping_values_not_allow max_map_count "
        "misconfiguration misconfigured missing_argument missing_required must_be_set mutually_exclusive "
        "namespace_not_find nil_pointer_evaluate no_configuration no_object_find no_queue no_s3_object "
        "no_such_bucket no_such_container no_such_file_or_directory no_such_image_option no_such_index "
        "no_such_network no_such_option no_such_service no_such_table no_such_volume "
        "no_value_for_required nosuchbucket nosuchkey not_a_valid_choice not_enough_slot "
        "not_find_in_namespace not_supply parameter_not_set parameter_not_supply partition_not_available "
        "port_already_in_use port_be_already queue_not_exist re_use_a_name relation_not_exist "
        "request_invalid required_argument required_option required_variable role_not_exist "
        "syntax_error_in_config table_not_exist too_many_open_file ulimit unbound_variable "
        "undeclare_variable undefined_local undefined_method_for_config undefined_variable "
        "unknown_argument unknown_command unknown_database unknown_field unknown_flag unknown_key "
        "unknown_option unknown_parameter unknown_property unknown_topic unknown_topic_or_partition "
        "unrecognize_argument unrecognize_option unset_variable unsupported_option validation_exception "
        "validationexc yaml_error"
    ),
    "auth_alone": (
        "access_deny accessdeniedexc accessdeny authentication_error authentication_fail "
        "authentication_require authenticationexc authorizationexc bad_credential cannot_login "
        "certificate_be_expire certificate_has_expire certificate_sign_by_unknown certificate_verify "
        "expire_token expiredtoken fail_to_authenticate fail_to_login forbidden_user gss_initiate "
        "incorrect_api_key insufficient_permission invalid_api_key invalid_credential invalid_token "
        "invalidaccesskeyid kerberos kinit krb5 lack_permission login_fail missing_permission "
        "no_permission noauth not_allow_to_access not_authorize not_have_permission not_permit "
        "operation_not_permit password_authentication permission_deny permissiondeny publickey "
        "sasl_authentication securityexc self_sign signature_not_match signaturedoesnotmatch "
        "ticket_expire token_expire token_has_expire unauthenticated unauthorize wrongpass"
    ),
    "churn_alone": (
        "back_off_restart child_exit_unexpect container_mark_as_fail crash_loop crashloopbackoff "
        "exceed_restart executor_lose executor_lost_fail fail_to_start_worker hard_lockup keep_restart "
        "kubeletnotready liveness_probe_fail lost_executor lost_node lost_task_tracker lost_worker "
        "max_restart node_lost node_not_ready nodenotready pleg_be_not_healthy process_respawn "
        "readiness_probe_fail remove_executor respawn_too restart_limit restart_loop restart_too_quick "
        "self_detect_stall soft_lockup start_request_repeat worker_exit_unexpect worker_fail_to_start "
        "worker_lost worker_process_exit_unexpect workers_unhealthy"
    ),
    "controller_alone": (
        "api_server apiserver apply_request_take_too call_webhook cannot_contact_pbs "
        "cluster_manager_not_discover connect_loss control_plane controller_not_available "
        "coordinator_not_available election_timeout etcd etcdserver fail_to_call_webhook "
        "fail_to_renew_lease heartbeat_to_leader keep_error_code kube_apiserver kubectl leader_election "
        "leaderelection lost_leader lost_quorum master_not_discover master_not_find name_node namenode "
        "no_endpoint_available no_leader no_master_discover no_quorum not_leader pbs_server quorum_lost "
        "quorum_not_available raft renew_lease resource_lock resource_manager_not resourcemanager "
        "safe_mode safemode scheduler_not_respond server_be_currently_unable server_misbehave_api "
        "session_expire slurm_backup slurm_controller slurmctld unable_to_contact_slurm yarn_resource "
        "zookeeper_session"
    ),
    "collective_alone": (
        "all_reduce_timeout allreduce_fail barrier_time collective_operation collective_time desync "
        "gloo_connect missing_rank mpi_abort mpi_err mpi_err_other nccl_timeout ncclinternalexc "
        "ncclremoteexc ncclsystemexc not_all_rank orte rendezvous_fail rendezvous_timeout "
        "rendezvousclosed rendezvousconnection rendezvoustimeout stall_rank store_based_barrier "
        "subset_of_rank wait_for_all_rank waiting_for_remainder watchdog_caught"
    ),
    "chip_alone": (
        "accelerator_not_available amdgpu busy_or_unavailable cannot_communicate_with_nvidia "
        "cuda_driver_initialization cuda_driver_version cuda_error_no_device cuda_unknown_error "
        "device_handle device_inaccessible device_lost double_bit_ecc ecc_error fail_to_initialize_nvml "
        "fall_off_bus gpu_be_lose gpu_not_detect gpu_reset gpu_unhealthy hardware_fault hsa_status "
        "initialize_nvml lost_gpu machine_check mce no_cuda_capable no_cuda_gpu no_gpu_detect "
        "nvidia_smi_fail nvlink_error nvml_error pcie_bus_error reset_gpu ring_gfx rminitadapter "
        "system_not_yet_initialize thermal_shutdown tpu_be_already_in_use tpu_initialization "
        "uncorrectable_ecc uncorrected_error unhealthy_gpu vfio xid"
    ),
    "unplaceable": (
        "badconstraint can_never_be dependency_never_satisfy exceed_max_capacity "
        "exceed_maximum_allocation exceed_the_maximum_capacity higher_than_can_be_met higher_than_that "
        "incompatible_with_nodepool incompatible_with_provisioner invalid_node_count "
        "job_resource_requirement larger_than_any larger_than_largest maximum_allocation "
        "more_than_the_maximum never_be_admit never_be_schedule no_expansion_option no_host_match "
        "no_instance_type_satisfy no_machine_match no_node_group no_node_match no_node_satisfy "
        "no_suitable_instance no_worker_match node_configuration_not_available not_match_node_affinity "
        "not_match_node_selector not_match_pod_node not_satisfy_requirement not_tolerate "
        "not_tolerate_taint request_exceed requested_node_configuration required_node_not_available "
        "untolerate_taint violate_policy"
    ),
    "lifetime": (
        "active_deadline cancelled_by_timeout deadlineexceed_job due_to_time "
        "exceeded_the_maximum_execution execution_expire execution_time_exceed job_exceed "
        "job_execution_time job_time_out max_runtime maximum_execution_time maximum_runtime runtime_limit "
        "stopping_condition time_limit timeout_minute wall_time walltime"
    ),
    "diverged": (
        "contain_inf contain_nan found_inf found_nan grad_nan gradient_explode gradient_nan "
        "gradient_overflow inf_or_nan input_contain_nan invalid_loss loss_be_nan loss_be_not_finite "
        "loss_diverge loss_explode loss_inf loss_scale_be_0 loss_scale_reach minimum_loss_scale "
        "nan_detect nan_grad nan_in nan_loss nan_or_inf non_finite non_finite_loss"
    ),
    "device_oom_alone": (
        "alloc_fail_cublas buffer_on_device cuda_error_out_of_memory cuda_out_of_memory cudamalloc_fail "
        "erroroutofdevicememory gpu_memory_exhaust hbm_capacity hbm_exhaust hip_out_of_memory "
        "insufficient_gpu_memory kv_cache_fail memory_space_hbm no_available_memory_for_the_cache_block "
        "not_enough_gpu not_enough_vram oom_when_allocate out_of_device out_of_gpu outofmemory_cuda vram"
    ),
    "controller_phrase": (
        "cache_to_sync controller_down in_safe_mode informer_sync keep_error_code kube_apiserver_not "
        "leader_elect_lost leader_lost lost_leader master_not_discover master_not_elect "
        "name_node_be_in_safe_mode no_controller no_leader not_a_quorum safe_mode_exc "
        "server_be_currently_unable slurmctld_down unable_to_contact_controller unable_to_contact_slurm "
        "wait_for_cache_to_sync"
    ),
}
