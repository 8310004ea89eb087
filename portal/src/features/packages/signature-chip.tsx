/** Who has signed a version: a publisher and the server, the server alone, or nobody. */
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { publishers } from '@cloudfit/contract/resources/publishers.ts';
import { useMay } from '../../api/lookups.ts';
import { Chip } from '../../components/chips.tsx';
import { useList } from '../../rows/use-rows.ts';
import type { PackageVersion } from './use-package.ts';

const t = packageTexts.versions;

/** The keys of trusted publishers; undefined while they load, and for people who may not view publishers. */
export function useTrustedKeys(): ReadonlySet<string> | undefined {
  const may = useMay()(publishers.area, 'view');
  const { data } = useList(publishers, { select: ['publicKey'] }, { enabled: may });
  return data && new Set(data.rows.map((row) => row.publicKey));
}

export function SignatureChip({ version, keys }: { version: PackageVersion; keys: ReadonlySet<string> | undefined }) {
  const { signature, publisherName, publisherKey } = version;
  if (signature === null)
    return (
      <Chip tone="danger" title={t.unsignedTitle}>
        {t.unsigned}
      </Chip>
    );
  if (publisherName === null)
    return (
      <Chip tone="ok" title={t.signedTitle}>
        {t.signed}
      </Chip>
    );
  const isTrusted = keys === undefined || keys.has(publisherKey ?? '');
  return (
    <Chip tone={isTrusted ? 'ok' : 'warn'} title={isTrusted ? t.publisherTitle(publisherName) : t.notTrustedTitle(publisherName)}>
      <span className="ellipsis">{isTrusted ? publisherName : t.notTrusted(publisherName)}</span>
    </Chip>
  );
}
