import { usePersonName, usePersonPhoto } from '../../api/people-names.ts';
import { Avatar } from '../../components/chips.tsx';

/** The photo of a person, or the initials of their name, which is looked up unless it is known. */
export function PersonAvatar({ userName, name }: { userName: string; name?: string }) {
  const nameOf = usePersonName();
  return <Avatar name={name ?? nameOf(userName)} photo={usePersonPhoto(userName)} />;
}
