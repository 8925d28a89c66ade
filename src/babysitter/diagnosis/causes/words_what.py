"""Classes of words for what happens to a thing, by their stems; `cause_words.py` says what they mean."""

WHAT: dict[str, str] = {
    "takes_long": (
        "can_take could_take first_time_may long_time may_take might_take operation_take several_minute "
        "slow_compile slow_operation still_compile still_load take_a_while take_long take_longer "
        "take_more_than take_several very_slow_compile"
    ),
    "exhausted": (
        "above_limit above_threshold alarm_set alloc_fail allocate_fail allocation_of almost_full blow "
        "cannot_allocate cannot_fit cannot_get cannot_reserve could_not_allocate could_not_reserve edquot "
        "enospc exceed exceed_high exhaust fail_to_allocate fail_to_reserve failed_alloc fill_up flood "
        "full hit_limit insufficient larger_than limit_alarm limit_hit limit_reach low "
        "more_than_available no_free no_memory no_more no_more_room no_room no_space no_space_leave "
        "nospace not_enough not_fit not_have_enough not_sufficient out_of_block out_of_buffer out_of_disk "
        "out_of_gpu out_of_host out_of_inode out_of_kv out_of_memory out_of_resource out_of_room "
        "out_of_shared out_of_space out_of_swap out_of_system out_of_vram over_limit overflow passed "
        "read_only_allow_delete run_out running_low saturate shortage space_leave starve threshold "
        "too_big too_large too_much unable_to_allocate unable_to_reserve used_all used_up watermark"
    ),
    "shm_fault": (
        "cannot error exhaust fail insufficient kill not_enough out_of_shared out_of_space too_small unable"
    ),
    "oom": (
        "arraymemory arrowmemory bad_alloc cannot_allocate_memory errnomemory insufficient_memory "
        "kill_by_signal_kill low_on_memory memory_allocate_of memory_allocation memory_exhaust "
        "memory_limit_exceed memory_monitor memory_pressure memory_usage_on_the_node memoryexc no_memory "
        "not_enough_memory objectstorefull oom oomkill out_of_memory out_of_ram outofmemory "
        "outofmemoryexc resource_exhaust_out_of_memory unable_to_allocate"
    ),
    "refused": (
        "bad cannot deny disallow error expire fail forbidden httpauth incorrect invalid lack lapse "
        "missing no not problem refuse reject require revoke stale unable unauthenticate unauthorized "
        "unknown unset without wrong"
    ),
    "denied": (
        "bearer deny disallow expire forbidden gate httpauth incorrect invalid lack missing no not_allow "
        "not_authorize not_configure not_find not_have not_permit refresh refuse reject required revoke "
        "stale unauthenticate unauthorized"
    ),
    "nonfinite": (
        "blow_up diverge explode inf infinite infinity nan non_finite nonfinite not_a_number not_finite "
        "overflow runaway spike underflow"
    ),
    "time_limit_reached": "cancel due exceed expire hit kill over pass reach",
    "package_fault": (
        "cannot_import cannot_load cannot_open cannot_open_share compile_against could_not_import "
        "could_not_load fail_to_import fail_to_load has_no_attribute importexc incompatible install "
        "missing modulenotfind newer_than no_attribute no_distribution no_module no_module_name "
        "no_package not_available not_find older_than require unable_to_import unable_to_load undefined "
        "version_conflict version_not_find"
    ),
    "churn": (
        "all_die all_worker_be_die back_off_restart be_recreate crash_loop crashloop crashloopbackoff "
        "die_again fail_to_heartbeat flap heartbeat_timeout heartbeat_within keep_crash keep_die "
        "keep_restart lost_heartbeat mark_die miss_heartbeat miss_too_many_heartbeat no_alive none_alive "
        "over_ping_threshold re_queue requeue respawn restart_again restart_loop will_be_restart"
    ),
    "chip_fault": (
        "already_in_use bad_node bit_flip cannot_open_device chip_failure chip_lose core_dump_on_tpu "
        "could_not_initialize degrade device_busy device_handle device_lost device_or_resource_busy "
        "double_bit driver_error driver_library driver_mismatch ecc fail_to_get_device fail_to_initialize "
        "fail_to_open fall_off gpu_lose halt handle_lose hardware_error hold_by illegal_instruction "
        "initialization_error initialize_fail launch_failure link_down lose_chip lose_gpu lose_tpu "
        "lost_device misalign miscompute need_reset no_accelerator no_chip no_cuda no_device no_gpu "
        "no_healthy no_healthy_device no_tpu not_detect not_initialize not_respond not_visible "
        "open_device open_iommu overheat reset_require resource_busy row_remap sdc thermal "
        "unable_to_initialize unable_to_open_device uncorrectable uncorrected unhealthy unknown_error "
        "unspecified_launch wedge xid"
    ),
    "unbuilt": (
        "abort cannot conflict deny error exitcode fail gave_nothing illegal incompatible invalid "
        "mismatch missing need_to_be no_solution no_such not_build not_find not_match not_usable refuse "
        "unable unexpected unknown unsatisfiable unsupport"
    ),
    "collective_fault": (
        "abort deadline desync different_collective different_shape disconnect fail hang late lose "
        "mismatch missing never no_progress not_all not_arrive not_join not_reach out_of_sync stall stuck "
        "time_out timeout unhandle wait wedge"
    ),
    "waiting": (
        "ask_for await backoff be_ready cannot_allocate cannot_be_met cannot_provision "
        "could_not_provision exceed exhaust fail_to_create fail_to_provision full insufficient "
        "no_available no_capacity no_free no_machine no_more none_leave not_ready not_start "
        "out_of_capacity out_of_quota out_of_stock over_budget pend queue quota short stock_out stockout "
        "than_can_be_met to_appear unable_to_provision unavailable unsatisfy wait"
    ),
    "impossible": (
        "cannot_fit cannot_fulfill cannot_satisfy cannot_schedule conflict exceed infeasible larger_than "
        "more_than never_be never_be_place no_available_node no_available_node_type no_match "
        "no_match_node no_node_type no_such_node no_suitable_node no_suitable_worker none_of not_fit "
        "not_have not_match not_satisfy too_large unable_to_schedule unsatisfiable unschedulable "
        "untolerate"
    ),
    "lost": (
        "broken cache_sync cannot_contact cannot_create cannot_reach close connect_loss crash deadline "
        "die disconnect down election eof error fail fail_to_renew frozen go_away hang httpserver lose "
        "master_not_discover miss_heartbeat never_answer no_answer no_heartbeat no_quorum no_reply "
        "no_response not_a_quorum not_answer not_discover not_elect not_healthy not_hear not_reachable "
        "not_ready not_respond not_sync overload refuse reset restart safe_mode silent slow stop_answer "
        "stop_respond time_out timed_out_wait timeout unable_to_contact unavailable unhealthy unreachable "
        "unresponsive"
    ),
    "miscompiled": (
        "abort cannot crash error exceed fail fatal illegal internal invalid mismatch no_lower "
        "not_implement not_legal not_support out_of_register out_of_resource reject too_large unable "
        "unexpected unimplement unresolve unsupport"
    ),
    "absent": (
        "absent can_t_find cannot_find cannot_locate cannot_open could_not_find could_not_locate "
        "filenotfind find_no httpabsent missing no_file no_match_file no_such none_find nosuch "
        "not_a_valid not_exist not_find not_know nothing_find unable_to_find unable_to_locate unknown"
    ),
    "store_fault": (
        "abort broken cannot corrupt could_not_be deadline deadlock_detect disconnect drop end_early "
        "error fail give_up httpbusy httpserver incomplete interrupt lock lose malform not_complete "
        "not_finish not_respond not_transfer precondition rate_limit read_only reduce_your_request refuse "
        "reset serviceunavailable slow_down stale throttle time_out timeout too_many_request unable "
        "unavailable"
    ),
    "data_fault": (
        "arrowinvalid bad badgzip badzip cannot_decode cannot_read change corrupt damage decode_error "
        "decompression_error differ different_schema drop duplicate empty error_decode "
        "error_occur_while_generate error_while_deserialize expect fail_read fail_to_decode fail_to_read "
        "garble header_too_large illegal incomplete inconsistent invalid jsondecode lose malform mismatch "
        "missing negative no_record no_row not_a_gzipped not_a_parquet not_a_zip not_match null "
        "out_of_range parse ragged read_fail skip too_short truncate unable_to_decode undecodable "
        "unexpected unicodedecode unpickl unreadable unrecognized unterminate wrong"
    ),
    "config_fault": (
        "absent already_exist already_in_use already_take ambiguous argumentexc can't_open cannot_find "
        "cannot_find_path cannot_start_new_thread conflict could_not_find could_not_override differ "
        "divisible exceed_the_model expect extra filenotfind greater_than in_use incompatible invalid "
        "larger_than less_than mandatory misconfiguration mismatch missing must mutually no_file no_such "
        "nosuch not_a_directory not_a_valid not_accept not_allow not_define not_divide not_equal "
        "not_exist not_find not_local not_match not_set not_specify not_support required should_be "
        "too_many_open undefined unexpected unknown unrecognized unsupport"
    ),
    "network_fault": (
        "abort break cannot_connect close connect_fail connecttimeout could_not_connect could_not_resolve "
        "deadline disconnect down drop end_of_file eof fail_to_reach fail_to_receive fail_to_resolve "
        "fail_to_send flap give_up handshake_error httpbusy httpserver lose max_retry_exceed no_answer "
        "no_peer no_response no_route not_available not_know not_resolve not_respond readtimeout refuse "
        "remotedisconnect request_fail reset resolution_fail resolve rpc_fail time_out timeout "
        "tunnel_fail unable_to_connect unable_to_resolve unavailable unreachable unresolve"
    ),
    "stuck": (
        "deadlock freeze frozen hang idle livelock never_finish no_progress no_step not_advance "
        "not_finish not_make not_move not_progress stall stuck wedge"
    ),
    "died": (
        "actordie core_dump crash die disappear exit exitcode exitkill go kill lose no_longer_alive "
        "process_abort rank_abort segfault segmentation_fault sigabrt sigbus sigkill signal sigsegv "
        "terminate vanish worker_abort"
    ),
    "demand": (
        "already at_least at_most both can_not_use cannot_use choose_from conflict divisible duplicate "
        "either exceed got greater_than invalid larger_than less_than mismatch must no_such not_equal "
        "not_exist not_find not_local not_match not_recognize not_set not_support not_valid only_one "
        "only_support ordinal please_provide please_set please_use require set_env should smaller_than "
        "specify too_new too_old unknown unrecognized unset unsupport"
    ),
    "allocation": "alloc_fail allocate_fail cannot_allocate could_not_allocate fail_to_allocate",
}
