import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** The certificate, which is its own authority: give it to a client as `ca`, or in NODE_EXTRA_CA_CERTS. */
  readonly pem: string;
  /** Private key in PEM. */
  readonly key: string;
}

const OIDS = {
  commonName: [0x55, 0x04, 0x03],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
};

/** A self-signed P-256 certificate for these names, localhost and 127.0.0.1; valid from yesterday for thirty days. */
export function createCertificate(names: readonly string[] = []): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OIDS.ecdsaWithSha256));
  const name = sequence(tag(0x31, sequence(oid(OIDS.commonName), tag(0x0c, Buffer.from('simulated model API')))));
  const day = 86_400_000;
  const body = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(Date.now() - day), time(Date.now() + 30 * day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(isAuthority(), alternativeNames(['localhost', ...names]))),
  );
  const signature = sign('sha256', body, privateKey);
  const der = sequence(body, algorithm, tag(0x03, Buffer.from([0]), signature));
  const lines = der
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function isAuthority(): Buffer {
  const yes = tag(0x01, Buffer.from([0xff]));
  return sequence(oid(OIDS.basicConstraints), yes, tag(0x04, sequence(yes)));
}

function alternativeNames(names: readonly string[]): Buffer {
  const hosts = names.map(name => tag(0x82, Buffer.from(name)));
  return sequence(oid(OIDS.subjectAltName), tag(0x04, sequence(...hosts, tag(0x87, Buffer.from([127, 0, 0, 1])))));
}

function tag(kind: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.byteLength;
  if (size < 0x80) return Buffer.concat([Buffer.from([kind, size]), content]);
  const bytes = size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([kind, ...bytes]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, ...parts);
}

function oid(bytes: readonly number[]): Buffer {
  return tag(0x06, Buffer.from(bytes));
}

function integer(bytes: Buffer): Buffer {
  return tag(0x02, bytes);
}

function time(ms: number): Buffer {
  return tag(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}
