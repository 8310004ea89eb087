-- What a rule can do with its work unit, above all when its match ends.
set local role app_global;
insert into action_definition (action_definition_id, name, description, action_definition_type_id, input_parameters) values
  ('0197f000-0000-7000-8000-000000000011', 'Resolve Work Unit', 'Resolves the work unit of the match, unless a person took it.', 6, 'Resolution,EvenIfTaken'),
  ('0197f000-0000-7000-8000-000000000012', 'Change Work Unit', 'Lowers the severity of the work unit of the match, assigns it, or adds a note.', 6,
    'SeverityId,AssignedTo,AssignmentGroup,Note,EvenIfTaken'),
  ('0197f000-0000-7000-8000-000000000013', 'Back To Normal', 'Tells whoever got a mail about the match that it has ended.', 6, 'Body,Calls');
reset role;
