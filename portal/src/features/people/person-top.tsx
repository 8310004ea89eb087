/** The photo of a person, in the list and large above their form, with the settings that are saved at once. */
import { peopleTexts as t, photoTexts } from '@cloudfit/contract/messages/people.en.ts';
import { photoAddress } from '@cloudfit/contract/photos.ts';
import { useMay } from '../../api/lookups.ts';
import { usePhoto } from '../../api/photos.ts';
import { Button } from '../../components/button.tsx';
import { Avatar, Chip, Who } from '../../components/chips.tsx';
import { disablePerson, enablePerson, removePhoto, type Person } from './change-person.ts';
import './sign-ins.css';

const usePhotoOf = ({ personId, photo }: Person) => usePhoto(photo && photoAddress(personId, photo));

export function PersonCell({ row }: { row: Person }) {
  return <Who name={row.name} photo={usePhotoOf(row)} />;
}

export function PersonTop({ row }: { row: Person }) {
  const mayEdit = useMay()('People', 'edit');
  const image = usePhotoOf(row);
  return (
    <section className="form-section person-top" aria-label={photoTexts.section}>
      <Avatar name={row.name} photo={image} size="huge" />
      <div>
        {!row.enabled && <Chip tone="warn">{t.isDisabled}</Chip>}
        {row.pictureProblem && <p className="faint">{photoTexts.ofPerson.notUsed(row.pictureProblem)}</p>}
        {mayEdit && (
          <div className="row">
            {row.enabled ? (
              <Button small look="danger" onClick={() => void disablePerson(row)}>
                {t.disable}
              </Button>
            ) : (
              <Button small onClick={() => void enablePerson(row)}>
                {t.enable}
              </Button>
            )}
            {row.photo && (
              <Button small onClick={() => void removePhoto(row)}>
                {photoTexts.remove}
              </Button>
            )}
          </div>
        )}
      </div>
    </section>
  );
}
