// The generator of certificates needs its decorators' metadata before it is loaded.
import 'reflect-metadata';
import { generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface Pem {
  readonly certificate: string;
  readonly key: string;
}

export interface Subject {
  readonly name: string;
  /** Groups that Kubernetes reads from a client certificate. */
  readonly groups?: readonly string[];
  readonly use: 'server' | 'client';
  /** From now on; may be short, for tests of expiry. */
  readonly lifeMs?: number;
}

const DAY_MS = 86_400_000;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;

x509.cryptoProvider.set(webcrypto);

/** A throw-away certificate authority that lives in this process: its key is never written down. */
export class Authority {
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #own: x509.X509Certificate;

  private constructor(keys: webcrypto.CryptoKeyPair, own: x509.X509Certificate) {
    this.#keys = keys;
    this.#own = own;
  }

  static async create(): Promise<Authority> {
    const keys = await newKeys();
    const own = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: serial(),
      name: [{ CN: [`tenure-test-${serial().slice(0, 8)}`] }],
      ...validity(DAY_MS),
      keys,
      signingAlgorithm: SIGNING,
      extensions: [
        new x509.BasicConstraintsExtension(true, 1, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new Authority(keys, own);
  }

  get certificate(): string {
    return this.#own.toString('pem');
  }

  async issue(subject: Subject): Promise<Pem> {
    const keys = await newKeys();
    const isServer = subject.use === 'server';
    const purpose = isServer ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
    const names: x509.JsonGeneralNames = [
      { type: 'ip', value: '127.0.0.1' },
      { type: 'dns', value: 'localhost' },
    ];
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: [{ CN: [subject.name] }, ...(subject.groups ?? []).map((group) => ({ O: [group] }))],
      issuer: this.#own.subjectName,
      ...validity(subject.lifeMs ?? DAY_MS),
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: SIGNING,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([purpose]),
        await x509.AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
        ...(isServer ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      ],
    });
    const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { certificate: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
  }
}

/** The key with which an API server signs the tokens of service accounts. */
export function signingKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

function serial(): string {
  // The first bit stays 0: a serial number is positive.
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return bytes.toString('hex');
}

/** From an hour ago, in case the file is read on a machine whose clock is a little behind. */
function validity(lifeMs: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + lifeMs) };
}
