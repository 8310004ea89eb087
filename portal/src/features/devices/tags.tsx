import './device-panels.css';

/** The tags of a device. They are stored as one text, separated by commas, semicolons or blanks. */
export function Tags({ tags }: { tags: string }) {
  return (
    <span className="device-tags" title={tags}>
      {tags
        .split(/[,;\s]+/)
        .filter(Boolean)
        .map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
    </span>
  );
}
