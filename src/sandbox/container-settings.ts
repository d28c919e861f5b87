import { SECCOMP_PROFILE } from './seccomp-profile.ts';

const MIB = 1024 * 1024;
export const SANDBOX_USER = '65532:65532';

/** Everything of a container that a job may choose; all else is fixed below. */
export interface ContainerChoice {
  /** Name of the Docker runtime. */
  readonly runtime: string;
  /** `sha256:…`, the engine's id of the image. */
  readonly imageId: string;
  readonly command: readonly string[];
  /** MiB, tmpfs included. */
  readonly memoryMb: number;
  readonly cpus: number;
  readonly labels: Readonly<Record<string, string>>;
  /** False under runc only (development): there the limit counts the processes of all containers of the user. */
  readonly limitProcesses: boolean;
}

export interface ContainerSettings {
  readonly Image: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly Tty: false;
  readonly OpenStdin: true;
  readonly StdinOnce: true;
  readonly AttachStdin: true;
  readonly AttachStdout: true;
  readonly AttachStderr: true;
  readonly NetworkDisabled: true;
  readonly StopSignal: string;
  readonly HostConfig: Readonly<Record<string, unknown>>;
}

/** Every setting of a sandbox container, in the form of Docker's create call. */
export function toContainerSettings(choice: ContainerChoice): ContainerSettings {
  const memory = choice.memoryMb * MIB;
  // The file systems live in the job's memory: the sizes turn a flood into "no space left" before it becomes "out of memory".
  const workMb = Math.floor(choice.memoryMb / 2);
  const tmpMb = Math.max(16, Math.floor(choice.memoryMb / 8));
  const limits = [
    ...(choice.limitProcesses ? [toLimit('nproc', 256)] : []),
    toLimit('nofile', 4096),
    toLimit('fsize', workMb * MIB),
    toLimit('core', 0),
  ];
  return {
    Image: choice.imageId,
    Entrypoint: [],
    Cmd: choice.command,
    User: SANDBOX_USER,
    WorkingDir: '/work',
    Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/work/.home', 'LANG=C.UTF-8'],
    Labels: choice.labels,
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    StopSignal: 'SIGKILL',
    HostConfig: {
      Runtime: choice.runtime,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${SECCOMP_PROFILE}`],
      PidsLimit: 1024,
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: Math.round(choice.cpus * 1e9),
      Tmpfs: {
        '/work': `rw,exec,nosuid,nodev,size=${workMb}m,mode=0700,uid=65532,gid=65532`,
        '/out': 'rw,noexec,nosuid,nodev,size=16m,mode=0700,uid=65532,gid=65532',
        '/tmp': `rw,noexec,nosuid,nodev,size=${tmpMb}m,mode=1777`,
      },
      Ulimits: limits,
      IpcMode: 'private',
      ShmSize: MIB,
      OomScoreAdj: 500,
      // The engine's default would copy the whole output of a hostile job to the host's disk.
      LogConfig: { Type: 'none', Config: {} },
      AutoRemove: false,
      RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
    },
  };
}

function toLimit(name: string, value: number): { Name: string; Soft: number; Hard: number } {
  return { Name: name, Soft: value, Hard: value };
}
