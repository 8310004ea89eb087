/** The text of a note: Markdown, in which numbers of units are links and mentions are names. */
import { Link } from 'react-router';
import { partsOfNote } from '@cloudfit/contract/notes.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { reviewTexts as t } from '@cloudfit/contract/messages/incident-review.en.ts';
import { usePersonName } from '../../../api/people-names.ts';
import { IconButton } from '../../../components/button.tsx';
import { markdown } from '../../../components/markdown/markdown-lazy.tsx';
import { fileOfNote } from '../../../entities/note-files/note-file-lazy.tsx';
import { useList } from '../../../rows/use-rows.ts';

/** Links the unit of a number; words alone if there is none, or none that the reader may see. */
function UnitLink({ number, text }: { number: number; text: string }) {
  const { data } = useList(workUnits, {
    filter: eq(workUnits, 'publicWorkUnitId', number),
    select: ['workUnitId', 'title', 'tenantId'],
    top: 1,
  });
  const unit = data?.rows[0];
  if (!unit) return text;
  return (
    <Link to={`/${unit.tenantId}/workunitsv2?workUnitId=${unit.workUnitId}`} title={unit.title}>
      {text}
    </Link>
  );
}

function Mention({ userName, text }: { userName: string; text: string }) {
  const name = usePersonName()(userName);
  return (
    <b className="mention" title={userName}>
      {name === userName ? text : `@${name}`}
    </b>
  );
}

const words = (text: string) =>
  partsOfNote(text).map((part, at) => {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'link':
        return (
          <a key={at} href={part.href} target="_blank" rel="noreferrer">
            {part.text}
          </a>
        );
      case 'unit':
        return <UnitLink key={at} number={part.number} text={part.text} />;
      case 'mention':
        return <Mention key={at} userName={part.userName} text={part.text} />;
    }
  });

interface NoteTextProps {
  text: string;
  /** Makes a unit of an open action of the note; undefined for people who may not create one. */
  onAction?: ((action: string) => void) | undefined;
}

export function NoteText({ text, onAction }: NoteTextProps) {
  const action =
    onAction && ((item: string) => <IconButton small icon="plus" label={t.newFromAction(item)} onClick={() => onAction(item)} />);
  return <markdown.Component text={text} words={words} file={fileOfNote} action={action} />;
}
