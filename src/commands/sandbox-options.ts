import { randomBytes } from 'node:crypto';
import { toHome, toRunLabel } from '../runner/folder.ts';
import { readInputs } from '../runner/inputs.ts';
import type { SandboxOptions } from '../sandbox/create-sandbox.ts';
import type { CommandContext } from './context.ts';

/** What `createSandbox` needs of the environment: DOCKER_HOST with its TLS folder, the home folder, the run's label. */
export function toSandboxOptions(context: CommandContext): SandboxOptions {
  const { env } = context;
  const certPath = env['DOCKER_CERT_PATH'];
  // As the docker command has it: any text but none switches TLS on.
  const tls = env['DOCKER_TLS_VERIFY'] && certPath ? { certPath } : undefined;
  return {
    home: toHome(env),
    dockerHost: env['DOCKER_HOST'] || undefined,
    tls,
    actionPath: context.actionPath,
    imagesLock: readInputs(env).imagesLock ?? undefined,
    runLabel: toRunLabel(env, `local-${process.pid}-${randomBytes(4).toString('hex')}`),
    allowInsecure: env['CYPHERFIX_ALLOW_INSECURE_SANDBOX'] === '1',
    onActions: env['GITHUB_ACTIONS'] === 'true',
    log: context.log,
    signal: context.signal,
  };
}
