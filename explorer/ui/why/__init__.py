"""The panels of the page Why?"""
