/**
 * System calls that no scanner, compiler or test run needs, refused inside the sandbox where the runtime applies Docker's
 * profiles (`--oci-seccomp`). Docker's own default profile cannot be used: it answers clone3 with ENOSYS so that the C
 * library falls back, gVisor makes EPERM of that, and then no program can start a thread.
 */
const REFUSED = [
  'acct',
  'add_key',
  'bpf',
  'chroot',
  'delete_module',
  'finit_module',
  'fsconfig',
  'fsmount',
  'fsopen',
  'fspick',
  'init_module',
  'io_uring_enter',
  'io_uring_register',
  'io_uring_setup',
  'kcmp',
  'kexec_file_load',
  'kexec_load',
  'keyctl',
  'mount',
  'mount_setattr',
  'move_mount',
  'name_to_handle_at',
  'open_by_handle_at',
  'open_tree',
  'perf_event_open',
  'pivot_root',
  'process_vm_readv',
  'process_vm_writev',
  'ptrace',
  'quotactl',
  'reboot',
  'request_key',
  'setns',
  'swapoff',
  'swapon',
  'syslog',
  'umount2',
  'unshare',
  'userfaultfd',
];

export const SECCOMP_PROFILE = JSON.stringify({
  defaultAction: 'SCMP_ACT_ALLOW',
  syscalls: [{ names: REFUSED, action: 'SCMP_ACT_ERRNO' }],
});
