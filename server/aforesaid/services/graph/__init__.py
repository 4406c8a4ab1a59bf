"""What memories hang on: ids, relations, topics, entities, tasks, files, projects."""
