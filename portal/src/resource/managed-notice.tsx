/** Says that a row of the configuration was applied from a folder of files. */
import { readManaged, readManagedResources } from '@cloudfit/contract/calls.ts';
import { managedTexts as t } from '@cloudfit/contract/messages/managed.en.ts';
import { useCall } from '../api/call.ts';
import { RelativeTime } from '../components/relative-time.tsx';

interface ManagedNoticeProps {
  resource: string;
  id: string;
}

/** Folders are applied seldom, so panels ask once in this time which resources they have rows of. */
const staleTime = 5 * 60_000;

export function ManagedNotice({ resource, id }: ManagedNoticeProps) {
  const { data: managed } = useCall(readManagedResources, {}, { staleTime });
  const { data } = useCall(readManaged, { resource, key: id }, { enabled: managed?.resources.includes(resource) ?? false });
  if (!data?.managed) return null;
  const { source, file, note, isProtected, applied } = data.managed;
  return (
    <p className="notice" role="note">
      <strong>{t.managed}</strong>
      <span>
        {t.from(file === null ? source : `${source}/${file}`, note)}, <RelativeTime value={applied} />. {isProtected ? t.protected : t.open}
      </span>
    </p>
  );
}
