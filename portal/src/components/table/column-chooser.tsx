import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../button.tsx';
import { nearing, Pop } from '../overlay/floating.tsx';
import { Checkbox } from '../fields/checkbox.tsx';

interface ColumnChooserProps {
  columns: readonly { id: string; header: string }[];
  hidden: Readonly<Record<string, boolean>>;
  onChange: (hidden: Readonly<Record<string, boolean>> | undefined) => void;
}

export function ColumnChooser({ columns, hidden, onChange }: ColumnChooserProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const shown = columns.filter((column) => !hidden[column.id]).length;
  return (
    <>
      <Button
        small
        look="quiet"
        icon="columns"
        {...nearing}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {en.grid.columns}
      </Button>
      {anchor && (
        <Pop anchor={anchor} label={en.grid.columns} alignEnd onClose={() => setAnchor(null)}>
          <div className="filter-editor">
            <div className="choices">
              {columns.map((column) => (
                <Checkbox
                  key={column.id}
                  label={column.header}
                  checked={!hidden[column.id]}
                  disabled={shown === 1 && !hidden[column.id]}
                  onChange={(checked) => onChange({ ...hidden, [column.id]: !checked })}
                />
              ))}
            </div>
            <div className="foot">
              <Button small onClick={() => onChange(undefined)}>
                {en.grid.resetColumns}
              </Button>
            </div>
          </div>
        </Pop>
      )}
    </>
  );
}
