import './device-panels.css';

/** Tags are one text with commas or blanks between them. */
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
