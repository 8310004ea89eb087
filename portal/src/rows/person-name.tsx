import { usePersonName, usePersonPhoto } from '../api/people-names.ts';
import { Who } from '../components/chips.tsx';

/** The display name of a person; the sign-in name appears under the pointer. */
export function PersonName({ userName }: { userName: string }) {
  const nameOf = usePersonName();
  return <span title={userName}>{nameOf(userName)}</span>;
}

/** Photo or initials, and display name. */
export function PersonWho({ userName }: { userName: string | null }) {
  const nameOf = usePersonName();
  return (
    <span title={userName ?? undefined}>
      <Who name={userName && nameOf(userName)} photo={usePersonPhoto(userName)} />
    </span>
  );
}
