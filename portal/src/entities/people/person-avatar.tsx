import { usePersonName, usePersonPhoto } from '../../api/people-names.ts';
import { Avatar } from '../../components/chips.tsx';

/** The photo of a person, or the initials of the person's name. Without `name`, looks the name up. */
export function PersonAvatar({ userName, name }: { userName: string; name?: string }) {
  const nameOf = usePersonName();
  return <Avatar name={name ?? nameOf(userName)} photo={usePersonPhoto(userName)} />;
}
